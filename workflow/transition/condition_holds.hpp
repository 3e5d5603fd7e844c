#pragma once

#include "workflow/task/task.hpp"

#include <vector>

namespace steadfast::workflow {

/// What it compares is in the payload, or was kept of the results of steps.
bool condition_holds(const condition& c, const task& t, const definition& d);
/// All that it compares is in one result, of which this was kept.
bool condition_holds(const condition& c, const std::vector<fact>& facts);

} // namespace steadfast::workflow
