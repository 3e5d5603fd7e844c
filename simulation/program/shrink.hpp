#pragma once

#include "simulation/program/seeds.hpp"

namespace steadfast::simulation {

/// Leaves out faults and tasks of one seed as long as the run still breaks a promise, and prints what remains and the
/// command that plays it. Source: delta debugging (Zeller and Hildebrandt, 2002). Returns false if the seed breaks
/// none.
bool shrink(request q);

} // namespace steadfast::simulation
