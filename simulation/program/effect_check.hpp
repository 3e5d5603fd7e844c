#pragma once

#include "simulation/run/run.hpp"

#include <string>
#include <vector>

namespace steadfast::tests {

/// What the independent checker of examples/checker has to say of a run that is over, a sentence each that begins with
/// the rule.
std::vector<std::string> broken_rules(const simulation::evidence& e);

/// The run, with what the checker says among its violations, and the stories of the tasks that it speaks of.
simulation::run_result checked_run(simulation::run_options options);

} // namespace steadfast::tests
