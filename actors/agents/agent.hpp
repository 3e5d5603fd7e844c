#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"
#include "actors/common/partition_clocks.hpp"
#include "actors/protocol/protocols.hpp"

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// The agent itself, the same for every kind; `make` makes its caller. REQUIRES: problems(o).empty().
agent_actor spawn_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                        const make_caller& make);

} // namespace steadfast::actors
