#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>

namespace steadfast::workflow {

/// How quickly an agent works off what waits there.
struct working_pace {
  std::int64_t usual_duration_us = 0; ///< of a call; 0: none has ended yet
  std::uint32_t concurrency = 1;
  std::uint32_t rate_per_second = 0; ///< 0: no limit

  friend bool operator==(const working_pace&, const working_pace&) = default;
};

/// About when the call of an order begins that has so many ahead of it. All of them take as long as usual.
span expected_wait(std::uint64_t ahead, const working_pace& pace);

/// From here on an order that waits and was never sent is given back: a call of usual length would not be over by
/// complete-by, and who ordered it must hear of it before. It may be past: then nothing may wait at all. REQUIRES: now
/// < complete_by.
instant begins_at_latest(instant now, instant complete_by, const working_pace& pace);

} // namespace steadfast::workflow
