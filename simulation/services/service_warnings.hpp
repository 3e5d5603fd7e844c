#pragma once

#include "simulation/services/declared_services.hpp"
#include "workflow/definition/definition.hpp"

#include <string>
#include <vector>

namespace steadfast::simulation {

/// What cannot work in the workflows with such services, before any cluster is simulated: a sentence each, which names
/// the step and what to change.
std::vector<std::string> warnings_of(const std::vector<workflow::definition>& workflows,
                                     const declared_services& services);

} // namespace steadfast::simulation
