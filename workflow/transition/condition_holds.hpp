#pragma once

#include "workflow/task/task.hpp"

#include <vector>

namespace steadfast::workflow {

/// For a condition on the payload, or on values that were kept from the results of steps.
bool condition_holds(const condition& c, const task& t, const definition& d);
/// For a condition on one result, from which `facts` were kept.
bool condition_holds(const condition& c, const std::vector<fact>& facts);

} // namespace steadfast::workflow
