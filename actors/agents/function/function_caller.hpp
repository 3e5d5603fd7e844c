#pragma once

#include "actors/agents/call_threads.hpp"
#include "actors/agents/caller.hpp"

#include <cstdint>
#include <memory>

namespace steadfast::actors {

/// `concurrency`: how many threads a blocking function may have; they are started when first needed, and counted at
/// `place`. REQUIRES: the function is not empty.
std::unique_ptr<caller> make_function_caller(agent_function f, std::uint32_t concurrency, call_over over,
                                             thread_place place = {});

} // namespace steadfast::actors
