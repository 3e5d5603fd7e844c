// Definitions, leases, alerts, notices, late replies, figures. A record that is damaged is left out; check() names it.

#include "store/engine/reading.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/lmdb/ready_tasks.hpp"
#include "store/verbs/decide_event.hpp"
#include "store/verbs/decide_schedule.hpp"
#include "store/verbs/family/decide_items.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <limits>

namespace steadfast::store {

std::optional<workflow::definition> lmdb_engine::find_definition(const std::string& name, std::uint32_t version) const {
  return read([&](const lmdb::transaction&, const snapshot& see) -> std::optional<workflow::definition> {
    if (name.size() > workflow::name_size_max)
      return std::nullopt;
    try {
      const auto found = see.definition(name, version != 0 ? version : see.newest_version(name).value_or(0));
      return found ? std::optional{*found} : std::nullopt;
    } catch (const damaged_record&) {
      return std::nullopt;
    }
  });
}

std::vector<workflow::definition> lmdb_engine::definitions(const definition_place& after, std::size_t steps_max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<workflow::definition> page;
    std::size_t steps = 0;
    const key from = definition_key(after.name, after.version);
    lmdb::cursor c{txn, in_.definitions};
    for (bool more = c.seek(from.view()); more && (page.empty() || steps < steps_max); more = c.next())
      if (auto d = readable<workflow::definition>(c.key(), c.value()); d && c.key() != from.view()) {
        steps += d->steps.size();
        page.push_back(std::move(*d));
      }
    return page;
  });
}

std::vector<lease> lmdb_engine::leases(const workflow::clock_reading& clock) const {
  return read([&](const lmdb::transaction&, const snapshot& see) { return see.leases(clock); });
}

std::vector<alert_entry> lmdb_engine::alerts(bool open_only, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<alert_entry> newest_first;
    lmdb::cursor c{txn, open_only ? in_.open_alerts : in_.alerts};
    for (bool more = c.last(); more && newest_first.size() < max; more = c.previous()) {
      const auto bytes = open_only ? txn.get(in_.alerts, c.key()) : c.value();
      if (!bytes)
        continue;
      if (auto x = readable<alert_entry>(c.key(), *bytes))
        newest_first.push_back(std::move(*x));
    }
    return newest_first;
  });
}

namespace {

/// Of the keys of those events.
std::string beginning_of(const event_filter& f) {
  if (f.name.empty())
    return {};
  if (f.key.empty() && f.task.empty())
    return std::string{owner_key(f.name).view()};
  return std::string{event_place(f.name, f.task.empty() ? f.key : key_of_task(f.task)).view()};
}

bool matches(const alert_filter& f, const alert_entry& x) {
  return (f.kind.empty() || x.what.kind == f.kind) && (f.step.empty() || x.what.step == f.step)
         && (f.task.empty() || x.task_id == f.task) && (f.text.empty() || x.what.text.find(f.text) != std::string::npos)
         && x.what.at < f.raised_before && x.what.at >= f.raised_after;
}

/// Calls f(key) for the keys of a table whose last number is below `before`, the newest first, until it says no. Of a
/// table of several, only those that begin with `prefix`.
template <class F>
void below(const lmdb::transaction& txn, lmdb::table t, const std::string& prefix, std::optional<std::uint64_t> before,
           F f) {
  std::string from = prefix;
  const key end{before.value_or(std::numeric_limits<std::uint64_t>::max())};
  from += end.view();
  lmdb::cursor c{txn, t};
  const auto belongs = [&] { return c.key().starts_with(prefix); };
  for (bool more = c.seek_before(from); more && belongs() && f(c); more = c.previous()) {
  }
}

constexpr std::size_t alerts_looked_at_max = 20'000; ///< for one page

} // namespace

alert_list lmdb_engine::find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                                    std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    alert_list page;
    std::size_t looked_at = 0;
    const bool by_incident = filter.incident != 0;
    const auto t = by_incident ? in_.incident_alerts : filter.open_only ? in_.open_alerts : in_.alerts;
    const key prefix{filter.incident};
    below(txn, t, by_incident ? std::string{prefix.view()} : "", before, [&](const lmdb::cursor& c) {
      const auto number = last_number(c.key());
      const key k{number};
      const auto bytes = txn.get(in_.alerts, k);
      auto x = bytes ? readable<alert_entry>(k, *bytes) : std::nullopt;
      const bool is_wanted = x && matches(filter, *x) && (!filter.open_only || x->acknowledged_at == workflow::unset);
      if (is_wanted && page.alerts.size() < max)
        page.alerts.push_back(std::move(*x));
      else if (is_wanted)
        return false;
      page.next = number;
      return ++looked_at < alerts_looked_at_max;
    });
    const bool is_cut = looked_at == alerts_looked_at_max;
    if (page.next && !is_cut && page.alerts.size() < max)
      page.next.reset();
    return page;
  });
}

incident_page lmdb_engine::incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    incident_page page;
    below(txn, in_.incidents, "", before, [&](const lmdb::cursor& c) {
      auto x = readable<incident>(c.key(), c.value());
      if (!x || (open_only && x->closed_at != workflow::unset))
        return true;
      if (page.incidents.size() == max) {
        page.next = page.incidents.empty() ? std::nullopt : std::optional{page.incidents.back().number};
        return false;
      }
      page.incidents.push_back(std::move(*x));
      return true;
    });
    return page;
  });
}

std::optional<incident> lmdb_engine::find_incident(std::uint64_t number) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    const key k{number};
    const auto bytes = txn.get(in_.incidents, k);
    return bytes ? readable<incident>(k, *bytes) : std::nullopt;
  });
}

bulk_page lmdb_engine::bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    bulk_page page;
    below(txn, in_.bulk_acts, "", before, [&](const lmdb::cursor& c) {
      auto b = readable<workflow::bulk_act>(c.key(), c.value());
      if (!b || (open_only && !workflow::is_open(*b)))
        return true;
      if (page.acts.size() == max) {
        page.next = page.acts.empty() ? std::nullopt : std::optional{page.acts.back().number};
        return false;
      }
      page.acts.push_back(*std::move(b));
      return true;
    });
    return page;
  });
}

bulk_page lmdb_engine::find_bulk_act(std::uint64_t number) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    bulk_page page;
    const key k{number};
    const auto bytes = txn.get(in_.bulk_acts, k);
    if (auto b = bytes ? readable<workflow::bulk_act>(k, *bytes) : std::nullopt)
      page.acts.push_back(*std::move(b));
    below(txn, in_.bulk_refusals, std::string{k.view()}, {}, [&](const lmdb::cursor& c) {
      if (auto r = readable<workflow::bulk_refusal>(c.key(), c.value()))
        page.refusals.push_back(*std::move(r));
      return true;
    });
    return page;
  });
}

event_page lmdb_engine::events(const event_filter& filter, workflow::instant now, const std::string& after,
                               std::size_t max) const {
  constexpr std::size_t looked_at_max = 5000;
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    event_page page;
    const auto begin = beginning_of(filter);
    std::size_t looked_at = 0;
    each_with(txn, in_.events, begin, std::max<std::string_view>(begin, after), [&](const lmdb::cursor& c) {
      if (c.key() == after)
        return true;
      if (page.events.size() == max || looked_at++ == looked_at_max)
        return false;
      page.next = c.key();
      if (const auto x = readable<event_record>(c.key(), c.value()); x && x->expires_at > now)
        page.events.push_back(shown(*x));
      return true;
    });
    if (page.events.size() < max && looked_at <= looked_at_max)
      page.next.clear();
    return page;
  });
}

std::vector<workflow::schedule_state> lmdb_engine::schedules(const std::string& after, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<workflow::schedule_state> found;
    lmdb::cursor c{txn, in_.schedules};
    for (bool more = c.seek(after); more && found.size() < max; more = c.next())
      if (auto s = readable<workflow::schedule_state>(c.key(), c.value()); s && c.key() != after)
        found.push_back(*std::move(s));
    return found;
  });
}

std::optional<workflow::schedule_state> lmdb_engine::find_schedule(const std::string& name) const {
  if (name.empty() || name.size() > workflow::name_size_max)
    return std::nullopt;
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    const auto bytes = txn.get(in_.schedules, name);
    return bytes ? readable<workflow::schedule_state>(name, *bytes) : std::nullopt;
  });
}

std::optional<limit_queue> lmdb_engine::find_limit_queue(std::uint64_t number) const {
  return read([&](const lmdb::transaction& txn, const snapshot& see) -> std::optional<limit_queue> {
    const auto known = see.task(number);
    const auto place = known ? known->place() : index_position{};
    const key own{place.group.number, place.priority, number, workflow_tag(place.workflow), place.group.at_a_time};
    if (!place.group.is_waiting || !txn.get(in_.limit_waits, own))
      return std::nullopt;
    limit_queue q;
    const key of_group{place.group.number};
    each_with(txn, in_.limit_places, of_group, of_group, [&](const lmdb::cursor& c) {
      const auto holder = key_reader{c.key().substr(of_group.view().size())}.number<std::uint64_t>().value_or(0);
      if (const auto t = see.task(holder); t && t->place().ended_at == workflow::unset)
        q.holders.push_back(t->state.task.id);
      return q.holders.size() < limit_holders_shown;
    });
    each_with(txn, in_.limit_waits, of_group, of_group,
              [&](const lmdb::cursor& c) { return c.key() != own.view() && ++q.before < limit_before_max; });
    q.free_at = first_hold_of(txn, in_, place.group.number, limit_before_max);
    return q;
  });
}

std::optional<items_undo> lmdb_engine::find_items_undo(std::uint64_t number, std::uint32_t step) const {
  std::optional<snapshot::known_task> parent;
  const auto f = read([&](const lmdb::transaction& txn, const snapshot& see) -> std::optional<workflow::fan_out> {
    parent = believed(see, number, false);
    const key of_group{number, step};
    const auto bytes = parent ? txn.get(in_.item_groups, of_group) : std::nullopt;
    return bytes ? readable<workflow::fan_out>(of_group, *bytes) : std::nullopt;
  });
  if (!f)
    return std::nullopt;
  item_questions ask;
  ask.row = [&](std::uint32_t item) {
    return read([&](const lmdb::transaction& txn, const snapshot&) {
      const key k{number, step, item};
      const auto bytes = txn.get(in_.items, k);
      return bytes ? readable<item_record>(k, *bytes) : std::nullopt;
    });
  };
  ask.child = [&](std::uint32_t item) {
    return find(workflow::child_id(parent->state.task, *parent->definition, step, item));
  };
  return undo_of_items(*f, ask);
}

std::vector<notice_entry> lmdb_engine::notices(const std::string& observer, std::uint64_t after_number,
                                               std::uint32_t after_sequence, std::size_t max) const {
  if (observer.empty() || observer.size() > workflow::task_id_size_max)
    return {};
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<notice_entry> found;
    const key begin = owner_key(observer);
    const key after = notice_key(observer, after_number, after_sequence);
    lmdb::cursor c{txn, in_.notices};
    bool more = c.seek(after);
    if (more && c.key() == after.view())
      more = c.next();
    for (; more && found.size() < max && c.key().starts_with(begin.view()); more = c.next()) {
      const auto number = key_reader{c.key().substr(begin.view().size())}.number<std::uint64_t>().value_or(0);
      if (auto x = readable<notice_record>(c.key(), c.value()))
        found.push_back({observer, number, std::move(x->task_id), std::move(x->what)});
    }
    return found;
  });
}

std::vector<late_reply_entry> lmdb_engine::late_replies(std::optional<std::uint64_t> task, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<late_reply_entry> newest_first;
    lmdb::cursor c{txn, in_.late};
    bool more = task ? c.seek_before(key{*task + 1}) : c.last();
    for (; more && newest_first.size() < max; more = c.previous()) {
      const auto number = key_reader{c.key()}.number<std::uint64_t>().value_or(0);
      if (task && number != *task)
        break;
      if (auto x = readable<late_reply_record>(c.key(), c.value()))
        newest_first.push_back({number, std::move(x->task_id), std::move(x->what)});
    }
    return newest_first;
  });
}

std::vector<set_aside_damaged> lmdb_engine::damaged() {
  return committed_.damage.take();
}

namespace {

/// In one snapshot. Other questions wait meanwhile, and none of them longer than some 20 ms.
constexpr std::size_t unfinished_counted_max = 4'000;

unfinished_tasks::counted_part count_part_of(const lmdb::transaction& txn, const tables& in,
                                             const unfinished_tasks::part& part) {
  using task_in_state = std::pair<std::uint64_t, workflow::process_state>;
  std::vector<task_in_state> found;
  for (std::uint8_t i = 1; i < counters{}.tasks.size(); ++i) {
    const auto state = static_cast<workflow::process_state>(i);
    if (workflow::is_unfinished(state))
      for (const auto n : numbers_with(txn, in.states, key{i}, key{i, part.after + 1}, unfinished_counted_max))
        if (n <= part.last)
          found.emplace_back(n, state);
  }
  std::sort(found.begin(), found.end());
  unfinished_tasks::counted_part c{part.last, 0, {}};
  if (found.size() >= unfinished_counted_max) { // of a state there may be more behind its last
    found.resize(unfinished_counted_max);
    c.until = found.back().first;
  }
  for (const auto& [number, state] : found) {
    const key k{number};
    if (const auto t = readable<task_state>(k, txn.get(in.tasks, k).value_or(std::string_view{})))
      ++c.found[t->task.workflow][state];
  }
  return c;
}

} // namespace

void lmdb_engine::count_unfinished() const {
  const auto part = options_.read_only ? std::nullopt : committed_.unfinished.begin_part();
  if (!part)
    return;
  const bool is_by_writer = shared_->is_mine() && shared_->is_open();
  try {
    read([&](const lmdb::transaction& txn, const snapshot&) {
      auto c = count_part_of(txn, in_, *part);
      c.transaction = is_by_writer ? 0 : txn.number();
      committed_.unfinished.end_part(*part, c);
    });
  } catch (...) {
    committed_.unfinished.drop_part(*part);
    throw;
  }
}

store_counts lmdb_engine::counts() const {
  count_unfinished();
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    store_counts s;
    if (!options_.read_only)
      s.unfinished = committed_.unfinished.now();
    const auto bytes = txn.get(in_.meta, counters_key).value_or(std::string_view{});
    if (const auto now = readable<counters>(counters_key, bytes)) {
      for (std::size_t i = 1; i < now->tasks.size(); ++i)
        s.tasks[static_cast<workflow::process_state>(i)] = now->tasks.at(i);
      s.last_number = now->last_task;
    }
    lmdb::cursor counts{txn, in_.ended_counts};
    for (bool more = counts.first(); more; more = counts.next())
      if (const auto of_workflow = readable<ended_count>(counts.key(), counts.value()))
        s.tasks_purged += of_workflow->purged;
    lmdb::cursor how{txn, in_.endings};
    for (bool more = how.first(); more; more = how.next())
      if (const auto of_workflow = readable<workflow::endings>(how.key(), how.value()))
        s.endings.emplace(std::string{how.key()}, *of_workflow);
    s.claimable = txn.entries(in_.ready) + txn.entries(in_.delayed) + txn.entries(in_.limit_waits);
    s.open_alerts = txn.entries(in_.open_alerts);
    const ready_tasks waiting{txn, in_};
    s.ready_since = waiting.next_due();
    if (const auto oldest = oldest_of(waiting))
      if (const auto t = believed(see, *oldest, false))
        s.ready_since = std::min(s.ready_since, std::max(t->state.task.submitted_at, t->state.task.not_before));
    return s;
  });
}

file_figures lmdb_engine::sizes() const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    file_figures s;
    std::uint64_t pages = txn.free_list_pages();
    for (const auto& t : all_tables)
      pages += txn.pages(in_.*t.table);
    s.bytes_used = pages * env_->page_size();
    s.bytes_mapped = env_->map_size();
    s.bytes_max = options_.size_max;
    s.bytes_reserve = options_.size_reserve;
    std::error_code unknown;
    if (const auto disk = std::filesystem::space(options_.path, unknown); !unknown) {
      s.disk_free = disk.available;
      s.disk_size = disk.capacity;
    }
    return s;
  });
}

} // namespace steadfast::store
