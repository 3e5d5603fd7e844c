#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

// Time of day as the clocks of a place show it, by the system's time zone data (IANA), which is read once. Throws
// nothing; may be used in any thread.

namespace steadfast::workflow {

/// Stored. Which days of the week count.
enum class weekdays : std::uint8_t {
  all = 1,
  workdays = 2, ///< Monday to Friday
  monday = 3,
  tuesday = 4,
  wednesday = 5,
  thursday = 6,
  friday = 7,
  saturday = 8,
  sunday = 9,
};

/// "Europe/Lisbon": the system knows it.
bool is_time_zone(std::string_view name);

/// A stretch of time in which the clocks of a zone stand at the same distance to UTC.
struct zone_stretch {
  instant begin; ///< the clocks were changed then; 1970 at the earliest
  instant end;
  span offset{};        ///< what they show is UTC and this
  span offset_before{}; ///< the same of the stretch before
};
/// The one that a moment lies in. Nothing: there is no such zone.
std::optional<zone_stretch> stretch_at(std::string_view zone, instant t);

/// The first moment after `now` at which the clocks of the zone come to that time of day (since midnight) on such a
/// day. Where they are put forward over it, the moment at which they are; where it comes twice, the first time.
/// Nothing: there is no such zone, or `now` is too late to say.
std::optional<instant> next_time_of_day(std::string_view zone, span time_of_day, weekdays on, instant now);

} // namespace steadfast::workflow
