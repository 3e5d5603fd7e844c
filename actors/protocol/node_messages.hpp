#pragma once

#include "actors/protocol/speak.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

// Between nodes, and for their leases.

namespace steadfast::actors {

/// The first message to a node; answered by its node_offer.
struct hello {};
STEADFAST_MESSAGE(hello)

/// Asks a node that offered no store whether it has one of several partitions, all of them: older nodes do.
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
  workflow::instant set_at;                              ///< names the clock
  bool drained = false;                                  ///< the node's agents are not to be used any more
  workflow::instant certificate_until = workflow::unset; ///< when its certificate ends; unset: it has none
};
STEADFAST_MESSAGE(told_time, x.now, x.set_at, x.drained, x.certificate_until)

/// Makes a connection to a node.
struct dial {
  std::string address; ///< host:port
};
STEADFAST_MESSAGE(dial, x.address)

/// Asks a peer to look again what its node offers, and what time it has there, if it is connected.
struct look_again {};
STEADFAST_MESSAGE(look_again)

/// What a lease guards may act under this epoch, or must stop (epoch 0).
struct lease_changed {
  std::string name;
  std::uint64_t epoch = 0;
};
STEADFAST_MESSAGE(lease_changed, x.name, x.epoch)

/// The guarded work has made progress: without it the lease is not renewed.
struct lease_progress {
  std::string name;
};
STEADFAST_MESSAGE(lease_progress, x.name)

} // namespace steadfast::actors
