#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"
#include "actors/agents/http/messages/request_text.hpp"

#include <cstdint>
#include <memory>

namespace steadfast::actors {

class http_loop;

/// Makes calls over HTTP/1.1 and kept connections, on the thread of `loop`; without one, on a thread of its own.
/// Answers larger than `result_size_max` are cut off and fail for good. `headers`: replace those about the step.
std::unique_ptr<caller> make_http_caller(http_options o, std::uint64_t result_size_max, call_over over,
                                         call_headers headers = {}, std::shared_ptr<http_loop> loop = {});

} // namespace steadfast::actors
