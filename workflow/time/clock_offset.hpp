#pragma once

#include "workflow/time/time.hpp"

#include <optional>

namespace steadfast::workflow {

/// Another clock was asked for its time: what our own clock showed before and after, and what the other one answered.
struct clock_sample {
  instant asked_at;
  instant answered_at;
  instant theirs;
  instant set_at{}; ///< identifies the other clock
};

/// How far another clock is ahead of our own, as far as it is known. Whoever must not be late uses the upper bound,
/// whoever must not be early the lower one.
struct clock_offset {
  span at_least{0};
  span at_most{0};
  instant learnt_at{}; ///< by our own clock
};

/// The bounds at a later time of our own clock: each of the two clocks may gain or lose one per cent (rounded up).
clock_offset later(const clock_offset& known, instant now);

/// After one more sample: what both the sample and the earlier bounds allow, so that slow answers, which say little,
/// change little (Cristian, "Probabilistic clock synchronization", 1989). If the two contradict each other, what the
/// sample allows.
clock_offset offset_after(const std::optional<clock_offset>& before, const clock_sample& s);

} // namespace steadfast::workflow
