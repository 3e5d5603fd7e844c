#pragma once

#include "actors/protocol/speak.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

// Messages between nodes, and about their leases.

namespace steadfast::actors {

/// The first message to a node; answered by its node_offer.
struct hello {};
STEADFAST_MESSAGE(hello)

/// Asks a node that offered no store whether it has all of a store with several partitions: older nodes have all of it.
struct ask_partitions {};
STEADFAST_MESSAGE(ask_partitions)

/// Asks a node which partitions of a store it has.
struct ask_shares {};
STEADFAST_MESSAGE(ask_shares)

/// Asks for the time, to follow the clock of the store's node.
struct ask_time {};
STEADFAST_MESSAGE(ask_time)

struct told_time {
  workflow::instant now;
  workflow::instant set_at;                              ///< identifies the clock
  bool drained = false;                                  ///< the node's agents must no longer be used
  workflow::instant certificate_until = workflow::unset; ///< when its certificate ends; unset: it has none
};
STEADFAST_MESSAGE(told_time, x.now, x.set_at, x.drained, x.certificate_until)

/// Makes a connection to a node.
struct dial {
  std::string address; ///< host:port
};
STEADFAST_MESSAGE(dial, x.address)

/// Asks a peer, if it is connected, to look again at what its node offers and at the time there.
struct look_again {};
STEADFAST_MESSAGE(look_again)

/// Work that a lease guards may be done under this epoch, or must stop (epoch 0).
struct lease_changed {
  std::string name;
  std::uint64_t epoch = 0;
};
STEADFAST_MESSAGE(lease_changed, x.name, x.epoch)

/// The guarded work has made progress. Without this message the lease is not renewed.
struct lease_progress {
  std::string name;
};
STEADFAST_MESSAGE(lease_progress, x.name)

} // namespace steadfast::actors
