#pragma once

#include "actors/common/clock.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/protocols.hpp"

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct bulk_runner_deps {
  store_actor store;
  reader_actor reader;
  gateway_actor gateway; ///< of the node with the store
  node_clock clock;
  bulk_options options;
};
bulk_runner_actor spawn_bulk_runner(caf::actor_system& sys, bulk_runner_deps deps);

} // namespace steadfast::actors
