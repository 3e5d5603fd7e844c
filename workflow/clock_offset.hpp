#pragma once

#include "workflow/time.hpp"

#include <optional>

namespace steadfast::workflow {

/// Another clock was asked for its time: what the own clock showed before and after, and what the other answered.
struct clock_sample {
  instant asked_at;
  instant answered_at;
  instant theirs;
  instant set_at{}; ///< names the other clock
};

/// How far another clock is ahead of the own one, after one more sample. The true value lies between two bounds that the
/// sample gives; a former estimate between them stays, one outside moves to the nearer bound, so that slow answers, which
/// say little, change little (Cristian, "Probabilistic clock synchronization", 1989). Nothing is known before the first.
span offset_after(std::optional<span> before, const clock_sample& s);

} // namespace steadfast::workflow
