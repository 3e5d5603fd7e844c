#include "actors/agents/agent.hpp"
#include "actors/agents/agents.hpp"
#include "actors/agents/http/http_caller.hpp"

#include <utility>

namespace steadfast::actors {

agent_actor spawn_http_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                             const http_options& h, std::shared_ptr<http_loop> loop) {
  return spawn_agent(sys, o, clocks, [&](call_over over) {
    return make_http_caller(h, o.result_size_max, std::move(over), {}, std::move(loop));
  });
}

} // namespace steadfast::actors
