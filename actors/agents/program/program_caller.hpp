#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"

#include <cstdint>
#include <memory>

namespace steadfast::actors {

/// Runs the program once per call, in a process group of its own that is killed as a whole when the call is stopped.
std::unique_ptr<caller> make_program_caller(program_options o, std::uint32_t concurrency, call_over over);

} // namespace steadfast::actors
