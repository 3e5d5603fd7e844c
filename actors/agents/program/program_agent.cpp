#include "actors/agents/agent.hpp"
#include "actors/agents/agents.hpp"
#include "actors/agents/program/program_caller.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_program_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                                const program_options& e) {
  return spawn_agent(sys, o, clock,
                     [&](call_over over) { return make_program_caller(e, o.concurrency, std::move(over)); });
}

} // namespace steadfast::actors
