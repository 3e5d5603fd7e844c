#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>

namespace steadfast::workflow {

/// How quickly an agent works through its queue.
struct working_pace {
  std::int64_t usual_duration_us = 0; ///< of a call; 0: none has ended yet
  std::uint32_t concurrency = 1;
  std::uint32_t rate_per_second = 0; ///< 0: no limit

  friend bool operator==(const working_pace&, const working_pace&) = default;
};

/// About how long an order waits that has `ahead` others before it, if each call takes as long as usual.
span expected_wait(std::uint64_t ahead, const working_pace& pace);

/// At this moment an order that still waits and was never sent is given back: a call of usual length would not end by
/// complete-by, and whoever ordered it must hear of that before then. A moment in the past: nothing may wait at all.
/// REQUIRES: now < complete_by.
instant begins_at_latest(instant now, instant complete_by, const working_pace& pace);

} // namespace steadfast::workflow
