#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"

#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct partition_router_deps {
  std::vector<store_actor> partitions; ///< those of the store, in order
  std::vector<reader_actor> readers;   ///< the reader of each of them
  node_clock clock;
  /// Gets the writes that take turns: one router of all nodes orders them; none: this router does.
  store_actor turns{};
  store_actor next{}; ///< gets what comes after this router was drained; none: nothing is passed on
};
own_store_actor spawn_partition_router(caf::actor_system& sys, partition_router_deps deps);

} // namespace steadfast::actors
