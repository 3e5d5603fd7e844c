#include "workflow/clock_offset.hpp"

#include <algorithm>

namespace steadfast::workflow {

clock_offset later(const clock_offset& known, instant now) {
  constexpr span one_in{50};
  const span drift{(now - known.learnt_at + one_in - span{1}) / one_in}; // rounded up
  return {known.at_least - drift, known.at_most + drift, now};
}

clock_offset offset_after(const std::optional<clock_offset>& before, const clock_sample& s) {
  const clock_offset sampled{s.theirs - s.answered_at, s.theirs - s.asked_at, s.answered_at};
  if (!before)
    return sampled;
  const auto known = later(*before, s.answered_at);
  const clock_offset both{std::max(known.at_least, sampled.at_least), std::min(known.at_most, sampled.at_most),
                          s.answered_at};
  return both.at_least <= both.at_most ? both : sampled;
}

} // namespace steadfast::workflow
