#pragma once

#include "actors/protocol/protocols.hpp"

#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// Reads a store of several partitions as one. `partitions`: the reader of each, in order. An answer is made from one
/// snapshot of each partition, not from a common one. REQUIRES: there is at least one.
reader_actor spawn_partition_reader(caf::actor_system& sys, std::vector<reader_actor> partitions);

} // namespace steadfast::actors
