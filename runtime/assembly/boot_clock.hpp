#pragma once

#include "actors/common/clock.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace steadfast {

/// The clock of a node with a store, for this life of its process. The clock of the previous life continues if the
/// machine was not restarted since and the wall clock agrees to a minute; otherwise a new one is set by the wall clock.
/// `file` says which it is. If the clock continues, attempts under way do not get their time again
/// (workflow::carry_over). `warn` is called when the file cannot be written, as on a full disk. Throws node_error when
/// a file with another clock cannot be removed.
actors::node_clock clock_of_this_boot(const std::filesystem::path& file,
                                      const std::function<void(const std::string&)>& warn);

/// A clock that is set now, for a node that follows another or writes nothing. Both go on while the machine sleeps.
actors::node_clock clock_set_now();

} // namespace steadfast
