#include "store/upkeep/table_check.hpp"

#include "store/lmdb/incident_book.hpp"
#include "store/lmdb/prefix_scan.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace steadfast::store {

namespace {

bool is_as_counted(const table_check& of, const incident& x) {
  std::uint64_t alerts = 0;
  std::set<std::uint64_t> tasks;
  const key begin{x.number};
  lmdb::cursor c{of.txn, of.in.incident_alerts};
  for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next()) {
    ++alerts;
    const key alert{last_number(c.key())};
    const auto bytes = of.txn.get(of.in.alerts, alert);
    if (!bytes || !of.has(of.in.alert_incidents, key{alert.view(), x.number}))
      return false;
    if (const auto entry = readable<alert_entry>(alert, *bytes); !entry)
      return true; // which is told by itself
    else if (entry->task_number != 0)
      tasks.insert(entry->task_number);
  }
  return alerts == x.alerts && tasks.size() == x.tasks;
}

} // namespace

void check_events(table_check& of) {
  std::uint64_t with_id = 0;
  of.each(of.in.events, [&](const lmdb::cursor& c) {
    const auto name = "event " + std::to_string(last_number(c.key()));
    const auto x = of.record<event_record>(c, name);
    if (!x)
      return;
    of.expect(c.key() == key{event_place(x->name, x->key).view(), x->number}.view(),
              name + ": it has the key of another");
    of.expect(of.has(of.in.event_ends, key{x->expires_at, c.key()}), name + ": missing in table event_ends");
    if (x->id.empty())
      return;
    ++with_id;
    const auto id = event_place(x->name, x->id);
    const auto bytes = of.txn.get(of.in.event_ids, id);
    const auto there = bytes ? readable<event_place_record>(id, *bytes) : std::nullopt;
    of.expect(there && there->key == c.key(), name + ": table event_ids has not its id");
  });
  of.expect(of.txn.entries(of.in.event_ids) == with_id, "table event_ids has entries of no event");
  of.expect(of.txn.entries(of.in.events) == of.txn.entries(of.in.event_ends),
            "table event_ends has entries of no event");
}

void check_schedules(table_check& of) {
  std::uint64_t timed = 0;
  of.each(of.in.schedules, [&](const lmdb::cursor& c) {
    const auto name = "schedule " + std::string{c.key()};
    const auto s = of.record<workflow::schedule_state>(c, name);
    if (!s)
      return;
    of.expect(c.key() == s->what.name, name + ": it has the key of another");
    if (s->next_at == workflow::never)
      return;
    ++timed;
    of.expect(of.has(of.in.schedule_times, key{s->next_at, c.key()}), name + ": missing in table schedule_times");
  });
  of.expect(of.txn.entries(of.in.schedule_times) == timed, "table schedule_times has entries of no schedule");
}

std::uint64_t check_alerts(table_check& of) {
  std::uint64_t last = 0;
  std::uint64_t open = 0;
  std::uint64_t of_tasks = 0;
  bool all_read = true;
  of.each(of.in.alerts, [&](const lmdb::cursor& c) {
    const auto number = last_number(c.key());
    open += of.has(of.in.open_alerts, c.key()) ? 1 : 0;
    const auto name = "alert " + std::to_string(number);
    last = std::max(last, number);
    const auto x = of.record<alert_entry>(c, name);
    all_read = all_read && x;
    if (!x)
      return;
    if (x->task_number != 0) {
      ++of_tasks;
      of.expect(of.has(of.in.task_alerts, key{x->task_number, number}), name + ": missing in table task_alerts");
    }
    of.expect(x->number == number, name + ": it has the number of another one");
    of.expect((x->acknowledged_at == workflow::unset) == of.has(of.in.open_alerts, c.key()),
              name + ": table open_alerts is wrong about it");
  });
  of.expect(open == of.txn.entries(of.in.open_alerts), "table open_alerts has alerts that there are not");
  of.expect(of_tasks == of.txn.entries(of.in.task_alerts) || !all_read,
            "table task_alerts has alerts that there are not");
  return last;
}

void check_incidents(table_check& of) {
  std::uint64_t holding = 0;
  bool all_read = true;
  of.each(of.in.incidents, [&](const lmdb::cursor& c) {
    const auto number = last_number(c.key());
    const auto name = "incident " + std::to_string(number);
    const auto x = of.record<incident>(c, name);
    all_read = all_read && x;
    if (!x)
      return;
    holding += x->alerts;
    const auto digest = digest_of(x->what);
    of.expect(x->number == number, name + ": it has the number of another one");
    of.expect(of.has(of.in.incident_keys, key{digest[0], digest[1], number}),
              name + ": missing in table incident_keys");
    of.expect((x->alerts == 0) == (x->closed_at != workflow::unset), name + ": it is closed, and alerts hold");
    of.expect(is_as_counted(of, *x), name + ": its alerts and tasks are not as many");
  });
  of.expect(holding == of.txn.entries(of.in.incident_alerts) || !all_read,
            "table incident_alerts has incidents that there are not");
  of.expect(of.txn.entries(of.in.incident_alerts) == of.txn.entries(of.in.alert_incidents)
              && of.txn.entries(of.in.incident_keys) == of.txn.entries(of.in.incidents),
            "the tables of incidents do not go together");
}

void check_bulk_acts(table_check& of) {
  std::map<std::uint64_t, std::uint64_t> refused;
  of.each(of.in.bulk_acts, [&](const lmdb::cursor& c) {
    const auto number = last_number(c.key());
    const auto name = "bulk act " + std::to_string(number);
    const auto b = of.record<workflow::bulk_act>(c, name);
    refused[number] = b ? b->refused : workflow::bulk_refusals_max;
    of.expect(!b || b->number == number, name + ": it has the number of another one");
  });
  of.each(of.in.bulk_refusals, [&](const lmdb::cursor& c) {
    const auto number = key_reader{c.key()}.number<std::uint64_t>().value_or(0);
    const auto name = "a task that refused bulk act " + std::to_string(number);
    of.record<workflow::bulk_refusal>(c, name);
    const auto act = refused.find(number);
    of.expect(act != refused.end() && act->second > 0, name + ": it was not counted");
    if (act != refused.end() && act->second > 0)
      --act->second;
  });
}

} // namespace steadfast::store
