#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"

#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct client_gateway_deps {
  std::string node;
  bool has_store = true; ///< false: clients are told that they have joined the wrong node
  store_actor store;
  reader_actor reader;
  node_clock clock;
};

/// What a node shows to clients that are not nodes.
struct client_gateway {
  node_front front;
  client_store_actor store;
};
client_gateway spawn_client_gateway(caf::actor_system& sys, client_gateway_deps deps);

} // namespace steadfast::actors
