#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"

#include <cstdint>
#include <memory>

namespace steadfast::actors {

/// Makes calls over HTTP with libcurl's multi interface, on one thread of its own, over kept connections.
/// Answers larger than `result_size_max` are cut off and fail for good.
std::unique_ptr<caller> make_http_caller(http_options o, std::uint64_t result_size_max, call_over over);

} // namespace steadfast::actors
