#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfast::simulation {

/// Mistakes in one stored change of a task, by what docs/workflows.md says of complete-by, waits, rounds and unknown
/// outcomes, a sentence each. It knows no event, and shares no code with the rules that made the change. REQUIRES: one
/// change, or the result of one that nobody was told of.
std::vector<std::string> wrong_in_change(const workflow::definition& d, const workflow::task& before,
                                         const workflow::task& after);

} // namespace steadfast::simulation
