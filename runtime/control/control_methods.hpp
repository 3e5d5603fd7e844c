#pragma once

#include "runtime/control/control_server.hpp"

#include <string>

namespace caf {
class actor_system;
}

namespace steadfast {

struct node_parts;

/// The methods of a node's control channel, as docs/control-channel.md lists them. The parts must outlive them.
control_methods methods_of(caf::actor_system& sys, const node_parts& parts);

/// Why the store takes no writes, or cannot be asked. Empty: it takes them. Asks the store, and if another node has it
/// that node, for a second each.
std::string store_trouble(caf::actor_system& sys, const node_parts& parts);

} // namespace steadfast
