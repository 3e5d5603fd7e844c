#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct notifier_deps {
  store_actor store;
  reader_actor reader;
  node_clock clock;
  std::uint32_t window = 256; ///< per observer: how many may be sent and not acknowledged yet
  workflow::span reader_limit{5000};
  workflow::span retry_read{1000}; ///< wait after a read that failed
};
notifier_actor spawn_notifier(caf::actor_system& sys, notifier_deps deps);

} // namespace steadfast::actors
