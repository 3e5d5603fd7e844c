#pragma once

#include "actors/cluster/peer.hpp"
#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/time/clock_offset.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct membership_deps {
  std::string own_name;
  std::vector<std::string> join; ///< addresses of the nodes that may have the store
  dialer_actor dialer;
  reader_actor reader;
  peer_changes link;                         ///< represents the store; none: this node always has it
  std::vector<bool> here{};                  ///< with a link: which partitions of the store are here at first
  std::vector<scheduler_actor> schedulers{}; ///< empty: this node does not have the role
  std::vector<agent_offer> own_agents;
  node_clock clock;
  workflow::span period{2000};      ///< between looks at the leases
  workflow::span seek_period{250};  ///< between looks for the store, while it is not found
  workflow::span moving_period{25}; ///< the same for a while after another node let it go
  /// Called with the time of the node that has that partition of the store.
  std::function<void(std::size_t partition, const workflow::clock_sample&)> on_time;
  std::function<void(const std::string& line)> log;
  std::function<void()> on_parting{}; ///< called when whoever had the store has let it go; may be empty
  /// With a link: each represents a partition of the store, in order; empty: the store is not partitioned.
  std::vector<peer_changes> partitions{};
};
membership_actor spawn_membership(caf::actor_system& sys, membership_deps deps);

} // namespace steadfast::actors
