#pragma once

#include "actors/protocol/protocols.hpp"

#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct store_link_deps {
  std::string node;      ///< this one
  std::string scheduler; ///< this node's; told which of its tasks were changed by others
};
store_link_actor spawn_store_link(caf::actor_system& sys, store_link_deps deps);

} // namespace steadfast::actors
