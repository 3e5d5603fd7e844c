#pragma once

#include "store/contract/local_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// One page of those that the partitions of a store tell. A page of a partition may end early: what others tell beyond
// the place that it has reached waits for the next page, so that whoever walks meets each entry once, and in order.

namespace steadfast::store {

// ---- by number, the newest first; `max` is what each partition was asked for ----

task_page joined(std::vector<task_page> of, std::size_t max);
alert_list joined(std::vector<alert_list> of, std::size_t max);
std::vector<alert_entry> joined(std::vector<std::vector<alert_entry>> of, std::size_t max);
/// Those of one task stay in the order in which it has them.
std::vector<late_reply_entry> joined(std::vector<std::vector<late_reply_entry>> of, std::size_t max);

// ---- what each partition has of the same thing ----

/// Of whole lists: incidents that are open and have the same signature together, and each that is closed by itself. The
/// smallest number of a group is first in it.
std::vector<std::vector<incident>> groups_of(std::vector<incident> all);
/// The group of the one with that number, given all that are open and that one; empty: there is none.
std::vector<incident> incidents_with(std::uint64_t number, std::vector<incident> open, std::optional<incident> itself);
/// As one: it is acknowledged or muted once all are, and `times` is that of the one that began most often.
incident joined(const std::vector<incident>& group);
/// Likewise those that one write began: alike in all but the moment, and one of each partition. `about` is of all
/// partitions, and was said to each: so one that has ended counts tasks of others as skipped, and how many were is only
/// known when all have ended.
std::vector<std::vector<workflow::bulk_act>> groups_of(std::vector<workflow::bulk_act> all, std::size_t partitions);
/// The group of the one with that number; empty: there is none.
std::vector<workflow::bulk_act> bulk_acts_with(std::uint64_t number, std::vector<workflow::bulk_act> all,
                                               std::size_t partitions);
/// As one: it is open while one is, and then stopped if one was.
workflow::bulk_act joined(const std::vector<workflow::bulk_act>& group);

incident_page page_of(const std::vector<std::vector<incident>>& groups, bool open_only,
                      std::optional<std::uint64_t> before, std::size_t max);
bulk_page page_of(const std::vector<std::vector<workflow::bulk_act>>& groups, bool open_only,
                  std::optional<std::uint64_t> before, std::size_t max);

// ---- by a text, or a moment ----

std::vector<workflow::schedule_state> joined(std::vector<std::vector<workflow::schedule_state>> of, std::size_t max);
std::vector<notice_entry> joined(std::vector<std::vector<notice_entry>> of, std::size_t max);
/// Each once, though all partitions have it.
std::vector<workflow::definition> joined(std::vector<std::vector<workflow::definition>> of, std::size_t steps_max);
/// Each once: as it is where it ends first, for what is held is held in all partitions. But each has a supervisor's.
std::vector<lease> joined(std::vector<std::vector<lease>> of);
/// `due_of` tells when a task of a page is due.
state_store::due_page joined(std::vector<state_store::due_page> of,
                             const std::function<workflow::instant(const workflow::task&)>& due_of, std::size_t max);

/// How far the events of each partition have been told: all before that place, which is a name and a key, and at it
/// those up to a number, which is another one in each partition.
struct events_told {
  std::string place;
  std::vector<std::uint64_t> up_to; ///< of each partition
};
/// REQUIRES: partitions > 0.
events_told events_told_by(const std::string& after, std::size_t partitions);
/// What to ask that partition with.
std::string after_in(const events_told& told, std::size_t partition);
/// One that all partitions have, because it is for a key, is told once, under its smallest number.
event_page joined(std::vector<event_page> of, const events_told& told, std::size_t max);

// ---- figures ----

store_counts joined(const std::vector<store_counts>& of);
/// Of all together; what is free on the disk that has the least.
file_figures joined(const std::vector<file_figures>& of);

} // namespace steadfast::store
