#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfast::workflow {

/// What an undo would do. Steps by index.
struct undo_plan {
  std::string refused; ///< why the task does not take the request as it is; empty: it does
  std::vector<std::size_t>
    undone; ///< whose compensations would run, in one possible order, those that failed before among them
  std::vector<std::size_t> left; ///< that happened, or may have, and that no compensation would reverse
};

/// Of that request, undo_requested or cancelled, now: it is told by carrying it out on a copy. Of a task that does not
/// take it, what its undo has still to do and what it leaves.
undo_plan plan_undo(const task& t, const definition& d, const event& request, const clock_reading& clock);

} // namespace steadfast::workflow
