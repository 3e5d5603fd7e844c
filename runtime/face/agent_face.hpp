#pragma once

#include "actors/agents/agent_function.hpp"
#include "actors/agents/agent_options.hpp"
#include "steadfast/agent.hpp"

namespace steadfast::runtime {

/// A user's function as the agents call it. An empty one stays empty.
actors::agent_function inner(agent_function f);
actors::agent_options inner(const agent_options& o);

} // namespace steadfast::runtime
