#pragma once

#include "simulation/run/run.hpp"

#include <string>
#include <vector>

namespace steadfast::simulation {

/// What the independent checker of examples/checker finds in a finished run, a sentence each that begins with the rule.
std::vector<std::string> broken_rules(const evidence& e);

/// The run, with the checker's findings among its violations, and the stories of the tasks in them.
run_result checked_run(run_options options);

} // namespace steadfast::simulation
