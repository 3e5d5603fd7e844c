#pragma once

#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A step may start a task, its child, and wait for its end. docs/decisions/0007-waiting.md

namespace steadfast::workflow {

inline constexpr std::uint32_t depth_max = 8;        ///< for children of children
inline constexpr std::uint32_t family_max = 100'000; ///< tasks that one task starts, directly or through others

/// Whether `child` is the child of step `i`, and not just another task with the same id, such as the child of an
/// earlier task with the parent's id. `item`: as parent_link::item.
bool is_child_of(const task& child, const task& t, std::size_t i, std::uint32_t item = 0);

/// How many tasks step `i` may start, directly or through others: each step that starts children has an equal share.
std::uint32_t family_share(const task& t, const definition& d);

/// What the store submits for step `i`. Except for its id, a client could submit it too.
struct new_child {
  submission what;
  parent_link parent;
  std::string problem; ///< why it cannot be made; empty: it can
};
/// REQUIRES: the step starts a child, and the task has its payload.
new_child child_of(const task& t, const definition& d, std::size_t i);

/// How a child stands, as its parent is told it.
enum class child_state : std::uint8_t {
  at_work = 1,     ///< it may have been in error before
  processed = 2,   ///< with a result
  undone = 3,      ///< or it never had any effect
  in_error = 4,    ///< a person is needed; it may go on
  undo_failed = 5, ///< a person is needed; and what it did is still in place
  refused = 6,     ///< it could not be made
  counted = 7,     ///< for items: only tells how many have ended
};
struct child_end {
  child_state how = child_state::at_work;
  std::string why; ///< its cause
  blob result;
  std::vector<fact> facts;
  std::uint32_t item = 0; ///< which item it is about, as parent_link::item; 0: all
  std::string progress{}; ///< for items: the counts
};
/// REQUIRES: the child has its large results.
child_end end_of_child(const task& child, const definition& of_child, const definition& of_parent, std::size_t step);

/// What the parent or the child still has to be told about step `i`: a check can find with it what was lost.
enum class child_duty : std::uint8_t {
  none = 0,
  start = 1,      ///< the step waits, and there is no child
  undo = 2,       ///< the step is compensating, and the child has not been told yet
  tell_parent = 3 ///< the child has ended, and the step does not know
};
/// `child`: null: there is none.
child_duty duty_of(const task& t, const definition& d, std::size_t i, const task* child);

} // namespace steadfast::workflow
