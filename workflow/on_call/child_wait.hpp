#pragma once

#include "workflow/task/explain.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfast::workflow {

/// The steps that wait for tasks which they started, for their end or their undo, by index; at most
/// explained_alike_max.
std::vector<std::size_t> waiting_for_tasks(const task& t, const definition& d);

/// That step `i` waits for a task that it started, and what that task waits for in its turn.
explanation explain_wait_for(const task& child, const definition& of_child, const task& t, const definition& d,
                             std::size_t i, const clock_reading& clock);

} // namespace steadfast::workflow
