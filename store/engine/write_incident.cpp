// Reads and puts incidents and which alerts are theirs, as decide_incident.hpp says.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/decide_incident.hpp"
#include "store/verbs/decide_note.hpp"

#include <utility>

namespace steadfast::store {

std::vector<alert_entry> write_batch::alerts_of_task(std::uint64_t number) const {
  std::vector<alert_entry> alerts;
  const key of_task{number};
  each_with(txn_, in_.task_alerts, of_task, of_task, [&](const lmdb::cursor& c) {
    const auto alert = last_number(c.key());
    if (auto entry = alert_of(alert); entry && incidents_.is_in_one(alert))
      alerts.push_back(*std::move(entry));
    return true;
  });
  return alerts;
}

std::optional<alert_entry> write_batch::alert_of(std::uint64_t alert) const {
  const key k{alert};
  const auto bytes = txn_.get(in_.alerts, k);
  return bytes ? readable<alert_entry>(k, *bytes) : std::nullopt;
}

void write_batch::end_alerts_of(const std::vector<std::uint64_t>& incidents, const std::string& who,
                                workflow::instant now) {
  for (const auto incident : incidents)
    for (const auto alert : incidents_.alerts_of(incident, 0, 1000)) {
      if (auto entry = alert_of(alert))
        put(acknowledged(*std::move(entry), who, now, false), alert, 0, now);
      else
        incidents_.leave(alert, 0, now);
    }
}

bool write_batch::is_of_condition(std::uint64_t alert) {
  const auto number = incidents_.incident_of(alert);
  const auto* const x = number ? incidents_.find(*number) : nullptr;
  return x != nullptr && x->is_condition;
}

bool write_batch::holds_on(const alert_entry& x) {
  if (const auto whatever = store::holds_on(x.what, may_be_of_condition(x) && is_of_condition(x.number)))
    return *whatever;
  try {
    const auto t = load(x.task_number);
    return t && workflow::still_holds(x.what, t->state.task, *t->definition);
  } catch (const damaged_record&) { // reported; its being set aside is an alert of its own
    return false;
  }
}

answer<act_on_incident> write_batch::make(const act_on_incident& w) {
  auto* const there = incidents_.find(w.number);
  auto d = decide(w, there);
  if (d.put)
    *there = *std::move(d.put);
  if (d.is_acknowledged) {
    d.said.acknowledged = acknowledge_some(w.number, w);
    d.said.more = d.said.acknowledged == w.max;
  }
  return std::move(d.said);
}

/// The number of them.
std::uint32_t write_batch::acknowledge_some(std::uint64_t incident, const act_on_incident& w) {
  std::uint32_t done = 0;
  std::uint64_t last = 0;
  for (auto alerts = incidents_.alerts_of(incident, last, 1000); !alerts.empty() && done < w.max;
       alerts = incidents_.alerts_of(incident, last, 1000))
    for (const auto alert : alerts) {
      last = alert;
      auto entry = alert_of(alert);
      if (!entry || entry->acknowledged_at != workflow::unset)
        continue;
      acknowledge(*std::move(entry), w.who, w.now);
      if (++done == w.max)
        break;
    }
  return done;
}

answer<report_conditions> write_batch::make(const report_conditions& w) {
  if (auto lost = not_held(w.guard, w.now))
    return *std::move(lost);
  const auto d = decide(w, incidents_.open_conditions());
  for (const auto& x : d.put)
    incidents_.put(x);
  end_alerts_of(d.over, is_over, w.now.now);
  for (const auto& x : d.raised)
    put(x);
  return d.said;
}

} // namespace steadfast::store
