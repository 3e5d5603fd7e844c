#pragma once

#include "actors/protocol/protocols.hpp"

#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// Reads a store of several partitions as one. `partitions`: who reads each, in order. An answer is made of one
/// snapshot of each partition, not of one of all. REQUIRES: there is one.
reader_actor spawn_partition_reader(caf::actor_system& sys, std::vector<reader_actor> partitions);

} // namespace steadfast::actors
