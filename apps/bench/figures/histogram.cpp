#include "apps/bench/figures/histogram.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace steadfast::bench {
namespace {

// A bucket is one microsecond wide up to 255 us; each further doubling has 128 buckets.
constexpr unsigned exact_bits = 8;
constexpr std::size_t per_doubling = 128;

std::size_t bucket_of(std::uint64_t us) {
  const auto bits = static_cast<unsigned>(std::bit_width(us));
  const unsigned shift = bits > exact_bits ? bits - exact_bits : 0;
  return shift * per_doubling + (us >> shift);
}

/// The first microsecond beyond the bucket.
std::uint64_t end_of_bucket(std::size_t bucket) {
  const std::size_t shift = bucket < 2 * per_doubling ? 0 : bucket / per_doubling - 1;
  return (bucket - shift * per_doubling + 1) << shift;
}

} // namespace

void histogram::add(steady::duration d) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(d).count();
  const auto bucket = bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)));
  if (bucket >= buckets_.size())
    buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
}

double histogram::percentile(double share) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(static_cast<double>(count_) * share));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank && seen > 0)
      return static_cast<double>(end_of_bucket(i)) / 1000;
  }
  return 0;
}

nlohmann::json histogram::json() const {
  return {{"count", count_},         {"p50", percentile(0.5)},     {"p95", percentile(0.95)},
          {"p99", percentile(0.99)}, {"p99.9", percentile(0.999)}, {"max", percentile(1)}};
}

} // namespace steadfast::bench
