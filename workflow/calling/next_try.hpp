#pragma once

#include "workflow/definition/retry.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>

namespace steadfast::workflow {

/// A call that failed for now, as one of several tries inside one attempt.
struct failed_try {
  std::uint32_t tries = 1; ///< made so far in this attempt, including this one
  span took{0};            ///< how long it lasted
  span retry_after{0};     ///< the service asked for at least this wait
};

/// When to try again inside the attempt. Nothing: the tries are used up, or so little time would be left that a try as
/// long as the last one could not end before complete_by. `chance` as for back_off.
std::optional<instant> next_try(const retry_policy& policy, const failed_try& last, std::uint64_t chance, instant now,
                                instant complete_by);

} // namespace steadfast::workflow
