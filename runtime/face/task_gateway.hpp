#pragma once

#include "actors/supervising/singleton.hpp"
#include "steadfast/actors.hpp"

namespace steadfast::runtime {

/// Speaks with users' actors in their words, and with the gateway in ours.
task_gateway spawn_task_gateway(caf::actor_system& sys, const actors::gateway_actor& gateway);

/// Makes the instance that a user's function makes, behind an actor that hears of the lease in our words.
actors::make_singleton inner(make_singleton make);

} // namespace steadfast::runtime
