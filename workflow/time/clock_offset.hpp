#pragma once

#include "workflow/time/time.hpp"

#include <optional>

namespace steadfast::workflow {

/// Another clock was asked for its time: what the own clock showed before and after, and what the other answered.
struct clock_sample {
  instant asked_at;
  instant answered_at;
  instant theirs;
  instant set_at{}; ///< names the other clock
};

/// How far another clock is ahead of the own one, as far as it is known. Who must not be late goes by the most, who
/// must not be early by the least.
struct clock_offset {
  span at_least{0};
  span at_most{0};
  instant learnt_at{}; ///< by the own clock
};

/// The bounds later, by the own clock: each of the two clocks may gain or lose one per cent (rounded up).
clock_offset later(const clock_offset& known, instant now);

/// After one more sample: what both it and the former bounds allow, so that slow answers, which say little, change
/// little (Cristian, "Probabilistic clock synchronization", 1989). Where they contradict each other, what the sample
/// allows.
clock_offset offset_after(const std::optional<clock_offset>& before, const clock_sample& s);

} // namespace steadfast::workflow
