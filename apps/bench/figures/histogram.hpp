#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace steadfast::bench {

using steady = std::chrono::steady_clock;

/// Durations in buckets of less than a hundredth of their size: any number of them in a few kilobytes.
class histogram {
public:
  void add(steady::duration d);
  std::uint64_t count() const { return count_; }
  /// In milliseconds, at most one per cent too high; 0 when there is none. REQUIRES: 0 < share <= 1.
  double percentile(double share) const;
  /// {"count", "p50", "p95", "p99", "p99.9", "max"}, in milliseconds.
  nlohmann::json json() const;

private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
};

} // namespace steadfast::bench
