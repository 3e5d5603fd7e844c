#include "actors/agents/agent.hpp"
#include "actors/agents/agents.hpp"
#include "actors/agents/program/exec_caller.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_exec_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                             const exec_options& e) {
  return spawn_agent(sys, o, clock,
                     [&](call_over over) { return make_exec_caller(e, o.concurrency, std::move(over)); });
}

} // namespace steadfast::actors
