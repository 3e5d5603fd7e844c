#pragma once

#include "actors/common/clock.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace steadfast {

/// The clock of a node with a store, for this life of its process: the one of the life before goes on if the machine
/// was not started anew since, and the wall clock agrees to a minute; else a new one is set by the wall clock. `file`
/// says which it is. A clock that goes on spares attempts under way their time anew (workflow::carry_over). `warn` is
/// told when the file cannot be written, as on a full disk. Throws node_error when one that tells of another clock
/// cannot be removed.
actors::node_clock clock_of_this_boot(const std::filesystem::path& file,
                                      const std::function<void(const std::string&)>& warn);

/// A clock that is set now, for a node that follows another or writes nothing. Both count on while the machine sleeps.
actors::node_clock clock_set_now();

} // namespace steadfast
