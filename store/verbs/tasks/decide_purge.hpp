#pragma once

#include "store/verbs/decide.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

// Ended tasks leave.

namespace steadfast::store {

/// A task that ended well.
struct ended_task {
  workflow::instant ended_at;
  std::uint64_t number = 0;
};

/// How many tasks of the workflow must be read: those behind `after`, in the order of their ends.
std::size_t looked_at_max(const purge_ended& w);
/// `there`: how many ended tasks the workflow has. `ended`: the first ones behind `after`; fewer than looked_at_max:
/// all. `leave` removes a task and returns how many left with its children; 0: it cannot leave yet.
answer<purge_ended> decide(const purge_ended& w, std::uint64_t there, const std::vector<ended_task>& ended,
                           const std::function<std::size_t(std::uint64_t number)>& leave);

/// What else is kept for an ended task.
struct kept_of_ended {
  bool has_open_alert = false;
  bool has_notice = false; ///< that its observer has not acknowledged yet
};
/// Whether nobody needs the task any more.
bool may_leave(workflow::process_state state, const kept_of_ended& kept);
/// Whether it leaves with its parent, and not before. `there`: the number of the task that has the parent's id, if any.
bool leaves_with_parent(const workflow::parent_link& parent, std::optional<std::uint64_t> there);

} // namespace steadfast::store
