#pragma once

#include "actors/caller.hpp"

#include <cstdint>
#include <memory>

namespace steadfast::actors {

/// `concurrency`: how many threads a blocking function may have; they are started when first needed.
std::unique_ptr<caller> make_function_caller(agent_function f, std::uint32_t concurrency, call_over over);

} // namespace steadfast::actors
