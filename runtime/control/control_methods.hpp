#pragma once

#include "runtime/control/control_server.hpp"

namespace caf {
class actor_system;
}

namespace steadfast {

struct node_parts;

/// The methods of a node's control channel, as docs/control-channel.md lists them. The parts must outlive them.
control_methods methods_of(caf::actor_system& sys, const node_parts& parts);

} // namespace steadfast
