#pragma once

#include "actors/agents/agent_function.hpp"
#include "actors/agents/agent_options.hpp"
#include "actors/agents/call_threads.hpp"
#include "actors/common/partition_clocks.hpp"
#include "actors/protocol/protocols.hpp"

#include <memory>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

class http_loop;

/// The threads of a blocking function are counted in `threads`, by the agent's name.
/// REQUIRES: problems(o) is empty, and the function is not.
agent_actor spawn_function_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                                 agent_function f, std::shared_ptr<open_threads> threads = nullptr);
/// Its calls are made on the thread of `loop`; without one, on a thread of its own.
agent_actor spawn_http_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                             const http_options& h, std::shared_ptr<http_loop> loop = nullptr);
agent_actor spawn_program_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                                const program_options& e);

} // namespace steadfast::actors
