#pragma once

#include "actors/agent_function.hpp"
#include "actors/agent_options.hpp"
#include "actors/clock.hpp"
#include "actors/protocols.hpp"

namespace caf {
class actor_system;
}

namespace steadfast::actors {

agent_actor spawn_function_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                                 agent_function f);
agent_actor spawn_http_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                             const http_options& h);
agent_actor spawn_exec_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                             const exec_options& e);

} // namespace steadfast::actors
