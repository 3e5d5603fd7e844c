#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>

namespace steadfast::workflow {

struct rate_options {
  std::uint32_t per_second = 0; ///< calls that may begin per second; 0: no limit
  std::uint32_t burst = 10;     ///< calls that may begin at once when the rate was not used; at least 1

  friend bool operator==(const rate_options&, const rate_options&) = default;
};

/// A token bucket as a value: each call takes a token, time puts them back. It starts full. Counted in thousandths of a
/// token: one millisecond brings exactly `per_second` of these, so nothing is rounded, and the rate is exact for ever.
struct token_bucket {
  std::uint64_t thousandths = 0; ///< how many are in it at `at`
  instant at = unset;            ///< unset: full

  friend bool operator==(const token_bucket&, const token_bucket&) = default;
};

/// The earliest moment, not before now, at which a call may begin.
instant next_call_at(const token_bucket& b, const rate_options& o, instant now);

/// A call begins. REQUIRES: next_call_at(b, o, now) == now.
token_bucket taken_from(const token_bucket& b, const rate_options& o, instant now);

} // namespace steadfast::workflow
