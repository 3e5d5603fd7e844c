#pragma once

#include "actors/common/clock.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/protocols.hpp"

#include <functional>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct lease_deps {
  store_actor store;
  guarded_actor guarded;
  node_clock clock;
  lease_options options;
  std::function<std::string()> note_now{}; ///< returns the note each time, instead of `options`; empty: it stays
};
lease_actor spawn_lease_actor(caf::actor_system& sys, lease_deps deps);

} // namespace steadfast::actors
