#include "actors/agent.hpp"
#include "actors/agents.hpp"
#include "actors/function_caller.hpp"
#include "workflow/mutant.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_function_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                                 agent_function f, const function_hosting& where) {
  const auto make = [&](call_over over) {
    return make_function_caller(std::move(f), o.concurrency, std::move(over), {where.threads, o.name});
  };
  return spawn_agent(sys, o, clock, make, where.detached && !workflow::mutant("functions_share_threads"));
}

} // namespace steadfast::actors
