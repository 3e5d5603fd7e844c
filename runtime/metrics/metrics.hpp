#pragma once

#include <chrono>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast {

struct node_parts;

/// What Prometheus reads, in its text format. docs/metrics.md lists the metrics.
struct metrics_page {
  static constexpr const char* content_type = "text/plain; version=0.0.4; charset=utf-8";
  std::string text;
};

/// For so long the page waits for the parts of the node. What one that is silent would have told is left out then, and
/// `steadfast_silent_parts` says so.
inline constexpr std::chrono::milliseconds metrics_limit{1500};

/// For any thread that may wait as long as that; several may ask at a time. Never throws for a part that does not
/// answer. The parts must live until it returns.
metrics_page metrics_of(caf::actor_system& sys, const node_parts& parts);

} // namespace steadfast
