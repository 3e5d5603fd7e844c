#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

// The time of day as the clocks of a place show it, by the system's time zone data (IANA), which is read once. Throws
// nothing; may be used on any thread.

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

/// Whether the system knows that zone, for instance "Europe/Lisbon".
bool is_time_zone(std::string_view name);

/// A stretch of time in which the clocks of a zone have the same offset from UTC.
struct zone_stretch {
  instant begin; ///< when the clocks were changed; 1970 at the earliest
  instant end;
  span offset{};        ///< added to UTC, gives what the clocks show
  span offset_before{}; ///< the offset of the stretch before
};
/// The stretch with that moment. Nothing: there is no such zone.
std::optional<zone_stretch> stretch_at(std::string_view zone, instant t);

/// The first moment after `now` at which the clocks of the zone show that time of day (since midnight) on such a day.
/// If they are put forward over it: the moment when they are; if it comes twice: the first time. Nothing: there is no
/// such zone, or `now` is too late to tell.
std::optional<instant> next_time_of_day(std::string_view zone, span time_of_day, weekdays on, instant now);

} // namespace steadfast::workflow
