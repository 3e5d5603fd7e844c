#pragma once

#include "store/verbs/decide.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

// Ended tasks leave.

namespace steadfast::store {

/// A task that ended well.
struct ended_task {
  workflow::instant ended_at;
  std::uint64_t number = 0;
};

/// Of the tasks of the workflow behind `after`, in the order of their ends, so many are asked for.
std::size_t looked_at_max(const purge_ended& w);
/// `there`: how many ended tasks the workflow has. `ended`: the first of those behind `after`; fewer than asked for:
/// all. `leave` lets one leave, and says how many did: with its children; 0: it cannot yet.
answer<purge_ended> decide(const purge_ended& w, std::uint64_t there, const std::vector<ended_task>& ended,
                           const std::function<std::size_t(std::uint64_t number)>& leave);

/// What else there is of an ended task.
struct kept_of_ended {
  bool has_open_alert = false;
  bool has_notice = false; ///< that its observer has not acknowledged
};
/// Nobody needs it any more.
bool may_leave(workflow::process_state state, const kept_of_ended& kept);

} // namespace steadfast::store
