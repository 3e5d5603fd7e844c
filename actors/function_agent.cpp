#include "actors/agent.hpp"
#include "actors/agents.hpp"
#include "actors/function_caller.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_function_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                                 agent_function f) {
  return spawn_agent(
    sys, o, clock, [&](call_over over) { return make_function_caller(std::move(f), o.concurrency, std::move(over)); });
}

} // namespace steadfast::actors
