#pragma once

#include "apps/bench/figures/histogram.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace steadfast::bench {

/// Of all streams together.
struct event_counts {
  std::uint64_t events = 0;   ///< changes of tasks that were known
  std::uint64_t missed = 0;   ///< revisions between two events of a task
  std::uint64_t repeated = 0; ///< events of a revision that was seen, or of one before that
  std::uint64_t began = 0;    ///< streams
  std::uint64_t ready = 0;    ///< tasks that were seen for the first time, by each stream
  histogram arrived{};        ///< since they were committed
};

/// What one stream has told, of one task or of all. Their ids are `follow-N`.
class seen_events {
public:
  explicit seen_events(event_counts& c) : counts_{c} {}

  /// One of the stream's messages.
  void take(std::string_view message, std::chrono::system_clock::time_point now);

private:
  event_counts& counts_;
  std::unordered_map<std::uint64_t, std::uint64_t> newest_; ///< revision of each task
  bool has_begun_ = false;
};

} // namespace steadfast::bench
