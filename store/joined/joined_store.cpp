// What is written: which partitions are asked for it, and what their answers are together.

#include "store/joined/joined_store.hpp"

#include "store/contract/options.hpp"
#include "store/joined/partition_files.hpp"
#include "store/journal/directory.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/task/partition.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

namespace steadfast::store {

namespace {

std::string in_partition(std::uint32_t i, const std::string& why) {
  return "in partition " + std::to_string(i) + ": " + why;
}

} // namespace

// ---- where a write goes ----

struct joined_store::parting {
  const joined_store& in;

  std::uint32_t of_id(const std::string& id) const { return workflow::partition_of(id, in.count()); }
  std::uint32_t of_number(std::uint64_t n) const { return workflow::partition_of_number(n, in.count()); }
  template <class Write>
  std::vector<part> one(std::uint32_t partition, const Write& w) const {
    return {{partition, w}};
  }
  template <class Write>
  std::vector<part> all(const Write& w) const {
    std::vector<part> parts;
    for (std::uint32_t i = 0; i < in.count(); ++i)
      parts.push_back({i, w});
    return parts;
  }
  /// For each of the group, by the number that it has. Of one that is not there its partition says so.
  template <class Write, class Entry>
  std::vector<part> by_numbers(Write w, const std::vector<Entry>& group) const {
    std::vector<part> parts;
    for (const auto& x : group) {
      w.number = x.number;
      parts.push_back({of_number(x.number), w});
    }
    return parts.empty() ? one(of_number(w.number), w) : parts;
  }

  std::vector<part> operator()(const submit_task& w) const { return one(of_id(w.what.id), w); }
  std::vector<part> operator()(const import_task& w) const { return one(of_id(w.what.task.id), w); }
  std::vector<part> operator()(const update_task& w) const { return one(of_number(w.next.number), w); }
  std::vector<part> operator()(const keep_late_reply& w) const { return one(of_number(w.number), w); }
  std::vector<part> operator()(const acknowledge_notices& w) const { return one(of_number(w.number), w); }
  std::vector<part> operator()(const set_aside_damaged& w) const { return one(of_number(w.number), w); }
  std::vector<part> operator()(const acknowledge_alert& w) const { return one(of_number(w.alert), w); }
  std::vector<part> operator()(const put_schedule& w) const { return one(of_id(w.what.name), w); }
  std::vector<part> operator()(const act_on_schedule& w) const { return one(of_id(w.name), w); }
  std::vector<part> operator()(const record_act& w) const { return one(0, w); } // it is about no task
  // Its position and its refusals are numbers of tasks of one partition.
  std::vector<part> operator()(const advance_bulk& w) const { return one(of_number(w.number), w); }
  /// The id of one for a task may be known elsewhere.
  std::vector<part> operator()(const send_event& w) const {
    if (!w.task_id.empty() && w.id.empty())
      return one(of_id(w.task_id), w);
    auto parts = all(w);
    for (auto& p : parts)
      std::get<send_event>(p.what).is_elsewhere = !w.task_id.empty() && p.partition != of_id(w.task_id);
    return parts;
  }
  /// As leases() tells them: the supervisor's of one partition, or what that holder has, under the epoch of each.
  std::vector<part> operator()(release_lease w) const {
    if (const auto p = workflow::partition_of_supervisor_lease(w.name); p && *p < in.count()) {
      w.name = workflow::supervisor_lease_name;
      return one(*p, w);
    }
    std::vector<part> parts;
    for (std::uint32_t i = 0; i < in.count(); ++i)
      for (const auto& there : in.partitions_[i]->leases(workflow::clock_reading{}))
        if (there.name == w.name && there.holder == w.holder)
          parts.push_back({i, release_lease{w.name, w.holder, there.epoch}});
    return parts.empty() ? all(w) : parts;
  }
  std::vector<part> operator()(const act_on_incident& w) const { return by_numbers(w, in.incidents_of(w.number)); }
  /// Where it is over already there is nothing to stop.
  std::vector<part> operator()(const stop_bulk& w) const {
    auto group = in.bulk_acts_of(w.number);
    const auto over = std::stable_partition(group.begin(), group.end(), workflow::is_open);
    if (over != group.begin())
      group.erase(over, group.end());
    return by_numbers(w, group);
  }
  /// A share of the places for each: a scheduler gets no more than it asked for.
  std::vector<part> operator()(const claim_tasks& w) const {
    auto parts = all(w);
    for (auto& p : parts)
      std::get<claim_tasks>(p.what).max = w.max / in.count() + (p.partition < w.max % in.count() ? 1 : 0);
    return parts;
  }
  /// The others are the same in all, or each does what it has of it: `max` bounds one transaction, and purge_ended
  /// keeps so many of each partition rather than fewer in all than was asked for.
  template <class Write>
  std::vector<part> operator()(const Write& w) const {
    return all(w);
  }
};

std::vector<joined_store::part> joined_store::parts_of(const write& w) const {
  return std::visit(parting{*this}, w);
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

bool joined_store::acts(const part& p) {
  const auto* const event = std::get_if<send_event>(&p.what);
  return event == nullptr || !event->is_elsewhere;
}

outcome joined_store::joined(std::vector<part> parts, std::vector<outcome> of_parts) {
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
      whole.why = in_partition(parts[static_cast<std::size_t>(failed - of_parts.begin())].partition, failed->why);
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

std::vector<outcome> joined_store::commit(const write_list& batch) {
  std::vector<std::vector<part>> parts;
  for (const auto* w : batch)
    parts.push_back(parts_of(*w));
  std::vector<write_list> lists(count());
  for (const auto& of_write : parts)
    for (const auto& p : of_write)
      lists[p.partition].push_back(&p.what);
  std::vector<std::vector<outcome>> said(count());
  bool is_begun = false;
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (lists[i].empty())
      continue;
    try {
      said[i] = partitions_[i]->commit(lists[i]);
      is_begun = true;
    } catch (const store_error& e) {
      if (e.is_fatal() || !is_begun)
        throw store_error{in_partition(i, e.what()), e.is_fatal()};
      said[i].assign(lists[i].size(), decision{write_status::unknown_outcome, e.what()});
    }
  }
  std::vector<std::size_t> next(count());
  std::vector<outcome> outcomes;
  for (const auto& of_write : parts) {
    std::vector<outcome> of_parts;
    for (const auto& p : of_write)
      of_parts.push_back(std::move(said[p.partition][next[p.partition]++]));
    outcomes.push_back(joined(of_write, std::move(of_parts)));
  }
  return outcomes;
}

// ---- the files ----

void joined_store::share(std::function<void()> wake) {
  for (const auto& p : partitions_)
    p->share(wake);
}

void joined_store::save() {
  for (const auto& p : partitions_)
    p->save();
}

void joined_store::copy(const std::filesystem::path& to) const {
  if (count() == 1)
    return partitions_.front()->copy(to);
  if (mkdir(to.c_str(), 0700) != 0)
    throw store_error{"cannot copy the store to " + to.string() + ": " + std::strerror(errno), false};
  try {
    mark_partitions(to, count(), partition_files::being_copied);
    for (std::uint32_t i = 0; i < count(); ++i)
      partitions_[i]->copy(partition_folder(to, i));
    mark_partitions(to, count(), partition_files::complete);
  } catch (const store_error&) {
    std::error_code ignored;
    std::filesystem::remove_all(to, ignored);
    throw;
  }
  sync_directory(parent_of(to));
}

bool joined_store::is_awaited() {
  return std::any_of(partitions_.begin(), partitions_.end(), [](const auto& p) { return p->is_awaited(); });
}

void joined_store::prepare_to_let_go(const waiting& wait) {
  for (const auto& p : partitions_)
    p->prepare_to_let_go(wait);
}

void joined_store::let_go() {
  for (const auto& p : partitions_)
    p->let_go();
}

std::shared_ptr<local_store> as_one(std::vector<std::shared_ptr<local_store>> partitions) {
  if (partitions.empty())
    return nullptr;
  if (partitions.size() == 1)
    return partitions.front();
  return std::make_shared<joined_store>(std::move(partitions));
}

} // namespace steadfast::store
