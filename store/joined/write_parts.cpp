#include "store/joined/write_parts.hpp"

#include "workflow/supervision/node_card.hpp"
#include "workflow/task/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

namespace steadfast::store {

// ---- where a write goes ----

namespace {

struct parting {
  std::uint32_t count;
  const found_first& found;

  std::uint32_t of_id(const std::string& id) const { return workflow::partition_of(id, count); }
  std::uint32_t of_number(std::uint64_t n) const { return workflow::partition_of_number(n, count); }
  template <class Write>
  std::vector<write_part> one(std::uint32_t partition, const Write& w) const {
    return {{partition, w}};
  }
  template <class Write>
  std::vector<write_part> all(const Write& w) const {
    std::vector<write_part> parts;
    for (std::uint32_t i = 0; i < count; ++i)
      parts.push_back({i, w});
    return parts;
  }
  /// For each of the group, by the number that it has. Of one that is not there its partition says so.
  template <class Write, class Entry>
  std::vector<write_part> by_numbers(Write w, const std::vector<Entry>& group) const {
    std::vector<write_part> parts;
    for (const auto& x : group) {
      w.number = x.number;
      parts.push_back({of_number(x.number), w});
    }
    return parts.empty() ? one(of_number(w.number), w) : parts;
  }

  std::vector<write_part> operator()(const submit_task& w) const { return one(of_id(w.what.id), w); }
  std::vector<write_part> operator()(const import_task& w) const { return one(of_id(w.what.task.id), w); }
  std::vector<write_part> operator()(const update_task& w) const { return one(of_number(w.next.number), w); }
  std::vector<write_part> operator()(const keep_late_reply& w) const { return one(of_number(w.number), w); }
  std::vector<write_part> operator()(const acknowledge_notices& w) const { return one(of_number(w.number), w); }
  std::vector<write_part> operator()(const set_aside_damaged& w) const { return one(of_number(w.number), w); }
  std::vector<write_part> operator()(const acknowledge_alert& w) const { return one(of_number(w.alert), w); }
  std::vector<write_part> operator()(const put_schedule& w) const { return one(of_id(w.what.name), w); }
  std::vector<write_part> operator()(const act_on_schedule& w) const { return one(of_id(w.name), w); }
  std::vector<write_part> operator()(const record_act& w) const { return one(0, w); } // it is about no task
  // Its position and its refusals are numbers of tasks of one partition.
  std::vector<write_part> operator()(const advance_bulk& w) const { return one(of_number(w.number), w); }
  /// The id of one for a task may be known elsewhere.
  std::vector<write_part> operator()(const send_event& w) const {
    if (!w.task_id.empty() && w.id.empty())
      return one(of_id(w.task_id), w);
    auto parts = all(w);
    for (auto& p : parts)
      std::get<send_event>(p.what).is_elsewhere = !w.task_id.empty() && p.partition != of_id(w.task_id);
    return parts;
  }
  /// As leases() tells them: the supervisor's of one partition, or what that holder has, under the epoch of each.
  std::vector<write_part> operator()(release_lease w) const {
    if (const auto p = workflow::partition_of_supervisor_lease(w.name); p && *p < count) {
      w.name = workflow::supervisor_lease_name;
      return one(*p, w);
    }
    std::vector<write_part> parts;
    for (std::uint32_t i = 0; i < count; ++i)
      for (const auto& there : found.leases.at(i))
        if (there.name == w.name && there.holder == w.holder)
          parts.push_back({i, release_lease{w.name, w.holder, there.epoch}});
    return parts.empty() ? all(w) : parts;
  }
  std::vector<write_part> operator()(const act_on_incident& w) const { return by_numbers(w, found.incidents); }
  /// Where it is over already there is nothing to stop.
  std::vector<write_part> operator()(const stop_bulk& w) const {
    auto group = found.bulk_acts;
    const auto over = std::stable_partition(group.begin(), group.end(), workflow::is_open);
    if (over != group.begin())
      group.erase(over, group.end());
    return by_numbers(w, group);
  }
  /// A share of the places for each: a scheduler gets no more than it asked for.
  std::vector<write_part> operator()(const claim_tasks& w) const {
    auto parts = all(w);
    for (auto& p : parts)
      std::get<claim_tasks>(p.what).max = w.max / count + (p.partition < w.max % count ? 1 : 0);
    return parts;
  }
  /// The others are the same in all, or each does what it has of it: `max` bounds one transaction, and purge_ended
  /// keeps so many of each partition rather than fewer in all than was asked for.
  template <class Write>
  std::vector<write_part> operator()(const Write& w) const {
    return all(w);
  }
};

} // namespace

read_first needed_for(const write& w) {
  if (std::holds_alternative<act_on_incident>(w))
    return read_first::incidents;
  if (std::holds_alternative<stop_bulk>(w))
    return read_first::bulk_acts;
  return std::holds_alternative<release_lease>(w) ? read_first::leases : read_first::nothing;
}

std::vector<write_part> parts_of(const write& w, std::uint32_t partitions, const found_first& found) {
  return std::visit(parting{partitions, found}, w);
}

// ---- what is said ----

namespace {

void add(other_changes& to, const other_changes& from) {
  to.numbers.insert(to.numbers.end(), from.numbers.begin(), from.numbers.end());
  to.locked.insert(to.locked.end(), from.locked.begin(), from.locked.end());
}

void add(claim_result& to, const claim_result& from) {
  to.tasks.insert(to.tasks.end(), from.tasks.begin(), from.tasks.end());
  to.next = std::min(to.next, from.next);
  to.more = to.more || from.more;
  add(to.others, from.others);
}

void add(free_result& to, const free_result& from) {
  to.freed += from.freed;
  to.more = to.more || from.more;
  add(to.others, from.others);
}

void add(register_result& to, const register_result& from) {
  to.created = to.created || from.created;
}

/// The next one goes on at the first place that a partition reached which has more.
void add(purge_result& to, const purge_result& from) {
  const auto place = [](const purge_result& x) { return std::pair{x.reached.ended_at, x.reached.number}; };
  const bool is_first = from.more && (!to.more || place(from) < place(to));
  const bool is_last = !from.more && !to.more && place(from) > place(to);
  if (is_first || is_last)
    to.reached = from.reached;
  to.purged += from.purged;
  to.next = std::min(to.next, from.next);
  to.more = to.more || from.more;
}

void add(incident_result& to, const incident_result& from) {
  to.acknowledged += from.acknowledged;
  to.more = to.more || from.more;
}

void add(conditions_result& to, const conditions_result& from) {
  to.raised += from.raised;
}

/// As a list tells it: under the smallest number.
void add(bulk_result& to, const bulk_result& from) {
  to.number = std::min(to.number, from.number);
}

/// Likewise. It had come before if it had to all.
void add(event_result& to, const event_result& from) {
  to.number = std::min(to.number, from.number);
  to.taken += from.taken;
  to.more = to.more || from.more;
  to.again = to.again && from.again;
  add(to.others, from.others);
}

void add(schedule_result& to, const schedule_result& from) {
  to.changed = to.changed || from.changed;
  to.made += from.made;
  to.next = std::min(to.next, from.next);
  to.more = to.more || from.more;
  add(to.others, from.others);
}

/// Of one partition, or the same in all.
template <class Result>
void add(Result&, const Result&) {}

} // namespace

bool acts(const write_part& p) {
  const auto* const event = std::get_if<send_event>(&p.what);
  return event == nullptr || !event->is_elsewhere;
}

outcome joined(std::vector<write_part> parts, std::vector<outcome> of_parts) {
  const auto is_applied = [](const outcome& o) { return o.result == write_status::applied; };
  for (std::size_t i = parts.size(); i-- > 0;)
    if (!acts(parts[i]) && is_applied(of_parts[i])) {
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      of_parts.erase(of_parts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  if (of_parts.size() == 1)
    return std::move(of_parts.front());
  const auto failed = std::find_if_not(of_parts.begin(), of_parts.end(), is_applied);
  outcome whole;
  if (failed != of_parts.end()) {
    whole = decision{failed->result, failed->why};
    if (std::any_of(of_parts.begin(), of_parts.end(), is_applied))
      whole.why = "in partition " + std::to_string(parts[static_cast<std::size_t>(failed - of_parts.begin())].partition)
                  + ": " + failed->why;
  } else {
    whole = std::visit(
      [&](const auto& w) -> outcome {
        using result = result_of_t<std::decay_t<decltype(w)>>;
        auto said = of_parts.front().template as<result>();
        for (auto i = of_parts.begin() + 1; i != of_parts.end(); ++i)
          add(said, i->template as<result>());
        return {decision{write_status::applied, of_parts.front().why}, std::move(said)};
      },
      parts.front().what);
  }
  for (auto& o : of_parts)
    whole.tasks.insert(whole.tasks.end(), std::make_move_iterator(o.tasks.begin()),
                       std::make_move_iterator(o.tasks.end()));
  return whole;
}

} // namespace steadfast::store
