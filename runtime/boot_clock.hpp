#pragma once

#include "actors/clock.hpp"

#include <filesystem>

namespace steadfast {

/// The clock of a node with a store, for this life of its process: the one of the life before goes on if the machine was not
/// started anew since, and the wall clock agrees to a minute; else a new one is set by the wall clock. `file` says which
/// it is. A clock that goes on spares attempts under way their time anew (workflow::carry_over). Throws node_error when the
/// file cannot be written.
actors::node_clock clock_of_this_boot(const std::filesystem::path& file);

/// A clock that is set now, for a node that follows another.
actors::node_clock clock_set_now();

} // namespace steadfast
