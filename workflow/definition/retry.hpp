#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>

namespace steadfast::workflow {

/// How often one round of a step is tried and how long it waits between tries: exponential back-off with a cap and
/// jitter (pattern "Retry"). A round is what the supervisor counts as one failure when it is used up.
struct retry_policy {
  std::uint32_t attempts = 5;         ///< attempts of one round, at least 1
  span initial{1000};                 ///< wait after the first failed attempt
  std::uint32_t factor_percent = 200; ///< each further wait is this percentage of the one before; at least 100
  span cap{60'000};                   ///< no wait is longer
  std::uint32_t jitter_percent = 20;  ///< a wait is shortened by a random share up to this; 0 to 100

  friend bool operator==(const retry_policy&, const retry_policy&) = default;
};

/// A long wait after `threshold` failed rounds, and how many such waits there are before the step is exhausted.
struct cool_off_policy {
  span wait{60'000};
  std::uint32_t count = 1;

  friend bool operator==(const cool_off_policy&, const cool_off_policy&) = default;
};

/// The wait after `tries` failed attempts of a round (1 or more), shortened by jitter drawn from `chance`, any 64-bit
/// number. The same arguments give the same wait.
span back_off(const retry_policy& policy, std::uint32_t tries, std::uint64_t chance);

/// A well-mixed number made of the arguments, so that jitter needs no random device and a replay is exact.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c);

} // namespace steadfast::workflow
