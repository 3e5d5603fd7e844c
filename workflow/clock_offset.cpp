#include "workflow/clock_offset.hpp"

#include <algorithm>

namespace steadfast::workflow {

span offset_after(std::optional<span> before, const clock_sample& s) {
  const auto low = s.theirs - s.answered_at;
  const auto high = std::max(low, s.theirs - s.asked_at);
  return before ? std::clamp(*before, low, high) : low + (high - low) / 2;
}

} // namespace steadfast::workflow
