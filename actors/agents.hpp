#pragma once

#include "actors/agent_function.hpp"
#include "actors/agent_options.hpp"
#include "actors/call_threads.hpp"
#include "actors/clock.hpp"
#include "actors/protocols.hpp"

#include <memory>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// What keeps users' functions apart from the rest of a node.
struct function_hosting {
  /// The agent has a thread of its own, so that a function that waits holds up nobody but its callers.
  bool detached = false;
  std::shared_ptr<open_threads> threads; ///< where those of a blocking function are counted, by the agent's name
};
/// REQUIRES: problems(o) is empty, and the function is not.
agent_actor spawn_function_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                                 agent_function f, const function_hosting& where = {});
agent_actor spawn_http_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                             const http_options& h);
agent_actor spawn_exec_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                             const exec_options& e);

} // namespace steadfast::actors
