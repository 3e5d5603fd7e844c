#pragma once

#include "workflow/task/task.hpp"

#include <string>
#include <vector>

namespace steadfast::workflow {

/// What does not hold of the task, a sentence each; empty for every task that apply() made. Checked before writing,
/// after reading, and in every test.
std::vector<std::string> broken_invariants(const task& t, const definition& d);

} // namespace steadfast::workflow
