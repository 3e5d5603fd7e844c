#pragma once

#include "actors/supervising/singleton.hpp"
#include "steadfast/actors.hpp"

namespace steadfast::runtime {

/// Talks to users' actors in the public messages, and to the gateway in ours. The reader tells which nodes are alive.
task_gateway spawn_task_gateway(caf::actor_system& sys, const actors::gateway_actor& gateway,
                                const actors::reader_actor& reader);

/// Makes the instance of a user's function, behind an actor that gets our messages about the lease.
actors::make_singleton inner(make_singleton make);

} // namespace steadfast::runtime
