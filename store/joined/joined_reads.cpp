// What is read: by id or number of one partition, else of all.

#include "store/joined/joined_pages.hpp"
#include "store/joined/joined_store.hpp"
#include "workflow/task/partition.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace steadfast::store {

namespace {

constexpr auto all_there_are = std::numeric_limits<std::size_t>::max(); ///< where their number is bounded
constexpr auto last_number_there_is = std::numeric_limits<std::uint64_t>::max();

/// That number of the partition, or the next one above it that it could give; as near as there is one.
std::uint64_t number_from(std::uint64_t number, std::uint32_t partition, std::uint32_t count) {
  const auto up = (partition + count - workflow::partition_of_number(number, count)) % count;
  return number <= last_number_there_is - up ? number + up : number + up - count;
}

template <class Entry>
std::vector<Entry> together(std::vector<std::vector<Entry>>&& of) {
  std::vector<Entry> all;
  for (auto& x : of)
    all.insert(all.end(), std::make_move_iterator(x.begin()), std::make_move_iterator(x.end()));
  return all;
}

} // namespace

local_store& joined_store::of_id(const std::string& id) const {
  return *partitions_[workflow::partition_of(id, count())];
}

local_store& joined_store::of_number(std::uint64_t number) const {
  return *partitions_[workflow::partition_of_number(number, count())];
}

// ---- tasks ----

std::optional<workflow::task> joined_store::find(const std::string& id) const {
  return of_id(id).find(id);
}

std::optional<workflow::task> joined_store::find(std::uint64_t number) const {
  return of_number(number).find(number);
}

std::optional<std::string> joined_store::damage_of(const std::string& id) const {
  return of_id(id).damage_of(id);
}

std::optional<exported_task> joined_store::export_task(const std::string& id) const {
  return of_id(id).export_task(id);
}

std::optional<limit_queue> joined_store::find_limit_queue(std::uint64_t number) const {
  return of_number(number).find_limit_queue(number);
}

std::optional<items_undo> joined_store::find_items_undo(std::uint64_t number, std::uint32_t step) const {
  return of_number(number).find_items_undo(number, step);
}

task_page joined_store::list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const {
  return store::joined(each([&](const local_store& s) { return s.list(filter, before, max); }), max);
}

/// `before` says which partition goes on, since a number does.
template <class Ask>
state_store::tally joined_store::tally_of(std::optional<std::uint64_t> before, Ask ask) const {
  const auto at = before ? workflow::partition_of_number(*before, count()) : 0;
  auto part = ask(*partitions_[at]);
  if (part.next)
    part.next = number_from(*part.next, at, count());
  else if (at + 1 < count())
    part.next = number_from(last_number_there_is, at + 1, count());
  return part;
}

state_store::tally joined_store::count_part(const task_filter& filter, std::optional<std::uint64_t> before) const {
  return tally_of(before, [&](const local_store& s) { return s.count_part(filter, before); });
}

state_store::tally joined_store::visit_part(const task_filter& filter, std::optional<std::uint64_t> before,
                                            const task_visitor& use) const {
  return tally_of(before, [&](const local_store& s) { return s.visit_part(filter, before, use); });
}

state_store::due_page joined_store::overdue(workflow::instant now,
                                            std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                                            std::size_t max) const {
  const auto due_of = [this](const workflow::task& t) {
    const auto d = of_number(t.number).find_definition(t.workflow, t.version);
    return d ? workflow::next_due(t, *d) : workflow::unset;
  };
  return store::joined(each([&](const local_store& s) { return s.overdue(now, after, max); }), due_of, max);
}

std::vector<late_reply_entry> joined_store::late_replies(std::optional<std::uint64_t> task, std::size_t max) const {
  if (task)
    return of_number(*task).late_replies(task, max);
  return store::joined(each([&](const local_store& s) { return s.late_replies(task, max); }), max);
}

std::vector<notice_entry> joined_store::notices(const std::string& observer, std::uint64_t after_number,
                                                std::uint32_t after_sequence, std::size_t max) const {
  return store::joined(
    each([&](const local_store& s) { return s.notices(observer, after_number, after_sequence, max); }), max);
}

// ---- what is the same in all ----

std::optional<workflow::definition> joined_store::find_definition(const std::string& name,
                                                                  std::uint32_t version) const {
  for (const auto& p : partitions_)
    if (auto d = p->find_definition(name, version))
      return d;
  return std::nullopt;
}

std::vector<workflow::definition> joined_store::definitions(const definition_place& after,
                                                            std::size_t steps_max) const {
  return store::joined(each([&](const local_store& s) { return s.definitions(after, steps_max); }), steps_max);
}

std::vector<lease> joined_store::leases(const workflow::clock_reading& clock) const {
  return store::joined(each([&](const local_store& s) { return s.leases(clock); }));
}

// ---- alerts and incidents ----

std::vector<alert_entry> joined_store::alerts(bool open_only, std::size_t max) const {
  return store::joined(each([&](const local_store& s) { return s.alerts(open_only, max); }), max);
}

alert_list joined_store::find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                                     std::size_t max) const {
  if (filter.incident == 0)
    return store::joined(each([&](const local_store& s) { return s.find_alerts(filter, before, max); }), max);
  std::vector<alert_list> of;
  for (const auto& x : incidents_of(filter.incident)) {
    auto of_it = filter;
    of_it.incident = x.number;
    of.push_back(of_number(x.number).find_alerts(of_it, before, max));
  }
  return store::joined(std::move(of), max);
}

std::vector<incident> joined_store::all_incidents(bool open_only) const {
  return together(
    each([&](const local_store& s) { return s.incidents(open_only, std::nullopt, all_there_are).incidents; }));
}

std::vector<incident> joined_store::incidents_of(std::uint64_t number) const {
  return incidents_with(number, all_incidents(true), of_number(number).find_incident(number));
}

incident_page joined_store::incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const {
  return page_of(groups_of(all_incidents(open_only)), open_only, before, max);
}

std::optional<incident> joined_store::find_incident(std::uint64_t number) const {
  const auto group = incidents_of(number);
  return group.empty() ? std::nullopt : std::optional{store::joined(group)};
}

// ---- bulk acts ----

/// Those that are over too: one is open while a part of it is.
std::vector<workflow::bulk_act> joined_store::all_bulk_acts() const {
  return together(each([](const local_store& s) { return s.bulk_acts(false, std::nullopt, all_there_are).acts; }));
}

std::vector<workflow::bulk_act> joined_store::bulk_acts_of(std::uint64_t number) const {
  return bulk_acts_with(number, all_bulk_acts(), count());
}

bulk_page joined_store::bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const {
  return page_of(groups_of(all_bulk_acts(), count()), open_only, before, max);
}

bulk_page joined_store::find_bulk_act(std::uint64_t number) const {
  bulk_page page;
  const auto group = bulk_acts_of(number);
  if (group.empty())
    return page;
  page.acts.push_back(store::joined(group));
  for (const auto& b : group) {
    auto refusals = of_number(b.number).find_bulk_act(b.number).refusals;
    page.refusals.insert(page.refusals.end(), refusals.begin(), refusals.end());
  }
  std::sort(page.refusals.begin(), page.refusals.end(),
            [](const auto& a, const auto& b) { return a.task_number > b.task_number; });
  return page;
}

// ---- schedules and events ----

std::vector<workflow::schedule_state> joined_store::schedules(const std::string& after, std::size_t max) const {
  return store::joined(each([&](const local_store& s) { return s.schedules(after, max); }), max);
}

std::optional<workflow::schedule_state> joined_store::find_schedule(const std::string& name) const {
  return of_id(name).find_schedule(name);
}

event_page joined_store::events(const event_filter& filter, workflow::instant now, const std::string& after,
                                std::size_t max) const {
  const auto told = events_told_by(after, partitions_.size());
  std::vector<event_page> of;
  for (const auto& p : partitions_)
    of.push_back(p->events(filter, now, after_in(told, of.size()), max));
  return store::joined(std::move(of), told, max);
}

// ---- the whole ----

store_counts joined_store::counts() const {
  return store::joined(each([](const local_store& s) { return s.counts(); }));
}

check_report joined_store::check() const {
  check_report all;
  for (std::uint32_t i = 0; i < count(); ++i) {
    const auto found = partitions_[i]->check();
    all.records += found.records;
    all.tasks += found.tasks;
    for (const auto& fault : found.faults)
      all.faults.push_back("partition " + std::to_string(i) + ": " + fault);
  }
  return all;
}

std::vector<set_aside_damaged> joined_store::damaged() {
  return together(each([](local_store& s) { return s.damaged(); }));
}

file_figures joined_store::sizes() const {
  return store::joined(each([](const local_store& s) { return s.sizes(); }));
}

} // namespace steadfast::store
