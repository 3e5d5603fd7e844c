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
  std::vector<reader_actor> readers;   ///< who reads each of them
  node_clock clock;
  /// Gets the writes that take turns, which they do at one router of all nodes; none: they take them at this one.
  store_actor turns{};
  store_actor next{}; ///< gets what comes after it was drained; none: it does not pass on
};
own_store_actor spawn_partition_router(caf::actor_system& sys, partition_router_deps deps);

} // namespace steadfast::actors
