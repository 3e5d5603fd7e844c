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
  std::string refused; ///< why the task does not accept the request in its present state; empty: it does
  std::vector<std::size_t>
    undone; ///< their compensations would run, in one possible order; includes compensations that failed before
  std::vector<std::size_t> left; ///< they happened, or may have, and no compensation would reverse them
};

/// The plan of that request, undo_requested or cancelled, if it came now; found by carrying it out on a copy. For a
/// task that does not accept it: what its undo has still to do, and what it leaves.
undo_plan plan_undo(const task& t, const definition& d, const event& request, const clock_reading& clock);

} // namespace steadfast::workflow
