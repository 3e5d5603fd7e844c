#include "actors/agents/agent.hpp"
#include "actors/agents/agents.hpp"
#include "actors/agents/function/function_caller.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_function_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                                 agent_function f, std::shared_ptr<open_threads> threads) {
  const auto make = [&](call_over over) {
    return make_function_caller(std::move(f), o.concurrency, std::move(over), {std::move(threads), o.name});
  };
  return spawn_agent(sys, o, clocks, make);
}

} // namespace steadfast::actors
