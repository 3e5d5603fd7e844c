#pragma once

#include "workflow/task/explain.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfast::workflow {

/// The steps whose undo waits for tasks that they started, by index; at most explained_alike_max.
std::vector<std::size_t> waiting_for_undo_of_tasks(const task& t, const definition& d);

/// That the undo of step `i` waits for a task that it started, and what that task waits for in its turn.
explanation explain_undo_of(const task& child, const definition& of_child, const definition& d, std::size_t i,
                            const clock_reading& clock);

} // namespace steadfast::workflow
