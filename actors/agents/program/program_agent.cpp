#include "actors/agents/agent.hpp"
#include "actors/agents/agents.hpp"
#include "actors/agents/program/program_caller.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_program_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                                const program_options& e) {
  return spawn_agent(sys, o, clocks,
                     [&](call_over over) { return make_program_caller(e, o.concurrency, std::move(over)); });
}

} // namespace steadfast::actors
