#pragma once

#include <cstdint>

namespace steadfast::actors {

/// How an agent says that an attempt ended.
enum class report_kind : std::uint8_t {
  succeeded = 1,
  failed_transient = 2,
  failed_permanent = 3,
  declined = 4, ///< the service was never called: no room, or the circuit is open
  stopped = 5,
  denied = 6,   ///< answer to a probe: it did not happen
  taken_on = 7, ///< begun: whoever has the attempt's token ends it. Only if the order may end later
};

} // namespace steadfast::actors
