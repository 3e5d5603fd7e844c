#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Moments by minute, hour, day of the month, month and day of the week, as the clocks of a zone show them.

namespace steadfast::workflow {

/// What `30 2 * * mon-fri` stands for: a bit for each value of a field.
struct cron {
  std::uint64_t minutes = 0;
  std::uint32_t hours = 0;
  std::uint32_t days = 0; ///< of the month, 1 to 31
  std::uint16_t months = 0;
  std::uint8_t weekdays = 0;     ///< Sunday is 0
  bool any_hour = false;         ///< the field begins with `*`
  bool either_day_counts = true; ///< neither field of days begins with `*`: then it is enough that one matches

  friend bool operator==(const cron&, const cron&) = default;
};

struct cron_reading {
  std::optional<cron> rule;
  std::string wrong; ///< why there is none
};
/// Five fields with lists, ranges, steps and names, or one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly,
/// @annually; read as Vixie's cron reads them.
cron_reading read_cron(std::string_view text);

/// The first moment after `after`. Hours that are named come once a day: if the clocks are put forward over such a
/// time, the moment is that of the change, and if a time comes twice, the first counts. With `*` for the hours, moments
/// come as the clocks show them, even twice. Nothing: there is no such zone, or no moment within forty years.
std::optional<instant> next_moment(const cron& c, std::string_view zone, instant after);

} // namespace steadfast::workflow
