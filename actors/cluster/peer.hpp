#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/time/clock_offset.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

using peer_changes = caf::typed_actor<takes<void(peer_changed)>>;
using clock_listener = caf::typed_actor<takes<void(peer_time)>>;

struct peer_deps {
  dialer_actor dialer;
  peer_changes owner;
  clock_listener listener; ///< none: nobody wants to know the time
  node_clock clock;
  std::string address;
  workflow::span period{2000}; ///< between requests for the time
  workflow::retry_policy redial{1, workflow::span{200}, 200, workflow::span{5000}, 50};
  std::uint64_t chance = 0; ///< the seed of the jitter of redialling
};
peer_actor spawn_peer(caf::actor_system& sys, peer_deps deps);

} // namespace steadfast::actors
