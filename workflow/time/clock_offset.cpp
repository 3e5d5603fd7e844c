#include "workflow/time/clock_offset.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

/// How far two clocks may part in a time: each of them may gain or lose one per cent.
span drift_in(span time) {
  constexpr span one_in{50};
  return span{(time + one_in - span{1}) / one_in}; // rounded up
}

/// What clocks show is cut to whole milliseconds: each of the two may be ahead of it by almost so much.
constexpr span shown_in{1};

/// What a sample says by itself at the moment of the answer: the other clock showed `theirs` at some moment since the
/// question, and may have drifted since then.
clock_offset sampled_by(const clock_sample& s) {
  return {s.theirs - s.answered_at - shown_in, s.theirs - s.asked_at + shown_in + drift_in(s.answered_at - s.asked_at),
          s.answered_at};
}

} // namespace

clock_offset later(const clock_offset& known, instant now) {
  const auto drift = drift_in(now - known.learnt_at);
  return {known.at_least - drift, known.at_most + drift, now};
}

clock_offset offset_after(const std::optional<clock_offset>& before, const clock_sample& s) {
  const auto sampled = sampled_by(s);
  if (!before)
    return sampled;
  const auto known = later(*before, s.answered_at);
  const clock_offset both{std::max(known.at_least, sampled.at_least), std::min(known.at_most, sampled.at_most),
                          s.answered_at};
  return both.at_least <= both.at_most ? both : sampled;
}

} // namespace steadfast::workflow
