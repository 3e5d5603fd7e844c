#pragma once

#include <atomic>
#include <cstdint>

namespace steadfast {

/// What became of the spans of ended tasks, since the node had its store. For any thread.
struct trace_figures {
  std::atomic<std::uint64_t> sent = 0;    ///< tasks whose spans the collector took
  std::atomic<std::uint64_t> dropped = 0; ///< it was away or slow
};

} // namespace steadfast
