#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "store/joined/joined_store.hpp"

#include <memory>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct partition_router_deps {
  std::vector<own_store_actor> partitions;          ///< those of the store, in order
  std::shared_ptr<const store::joined_store> store; ///< says which of them a write is for
  node_clock clock;
  store_actor next{}; ///< gets what comes after it was drained; none: it does not pass on
};
own_store_actor spawn_partition_router(caf::actor_system& sys, partition_router_deps deps);

} // namespace steadfast::actors
