#pragma once

#include "simulation/run/run.hpp"

#include <string>
#include <vector>

namespace steadfast::tests {

/// What the independent checker of examples/checker finds in a finished run, a sentence each that begins with the rule.
std::vector<std::string> broken_rules(const simulation::evidence& e);

/// The run, with the checker's findings among its violations, and the stories of the tasks in them.
simulation::run_result checked_run(simulation::run_options options);

} // namespace steadfast::tests
