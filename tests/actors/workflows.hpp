#pragma once

#include "workflow/definition/definition.hpp"

#include <string>
#include <vector>

namespace steadfast::tests {

/// A step of the agent `agent_of_<name>` that can be undone by the same. Waits have no jitter, so that they are round
/// numbers: an attempt may take 30 s, a round has two, one second apart, and the second failed round is final.
workflow::step_definition step_named(const std::string& name);

/// A workflow of these steps, one after the other; a deadline of a day, a grace of 1 s, no cool-off.
workflow::definition pipeline(const std::string& name, std::vector<workflow::step_definition> steps);

/// The workflow `trip`: steps `hotel` and `flight`.
workflow::definition trip();

} // namespace steadfast::tests
