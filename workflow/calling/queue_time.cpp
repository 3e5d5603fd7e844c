#include "workflow/calling/queue_time.hpp"

#include "workflow/definition/definition.hpp"

#include <algorithm>

namespace steadfast::workflow {

span expected_wait(std::uint64_t ahead, const working_pace& pace) {
  constexpr std::uint64_t ahead_max = 1'000'000; // far above any queue, and no product of it is too large
  const auto n = static_cast<std::int64_t>(std::min(ahead, ahead_max));
  const auto usual = std::clamp<std::int64_t>(pace.usual_duration_us / 1000, 0, span_max.count());
  auto wait = n * usual / std::max<std::int64_t>(pace.concurrency, 1);
  if (pace.rate_per_second != 0)
    wait = std::max(wait, n * 1000 / pace.rate_per_second);
  return span{wait};
}

instant begins_at_latest(instant now, instant complete_by, const working_pace& pace) {
  const span given = complete_by - now;
  const span usual{pace.usual_duration_us / 1000};
  return complete_by - std::max(usual, given / 10);
}

} // namespace steadfast::workflow
