#pragma once

#include "workflow/time/time.hpp"
#include "workflow/time/time_text.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace steadfast {

using workflow::utc_text;

/// A sentence with the moments in it, as these write them, in the time zone of this process: of today without the date.
std::string localized(std::string_view sentence, workflow::instant now);

/// The moment that an RFC 3339 text names, in UTC ("Z") or with an offset, fractions of a second cut at milliseconds.
/// In UTC it lies in the years 0 to 9999.
std::optional<workflow::instant> parse_utc(std::string_view text);

/// "2026-11-21 06:53:43" in the time zone of this process; with `ms`, "2026-11-21 06:53:43.179".
std::string local_text(workflow::instant t, bool ms = false);

/// The moment that a text names in the form of tables and stories: what `utc_text` and `local_text` write, or only a
/// time of day; with or without seconds and fractions; with Z in UTC, else in the time zone of this process. What a
/// table adds in brackets is skipped. A time of day is the nearest one before `now`, or after it.
std::optional<workflow::instant> parse_printed(std::string_view text, workflow::instant now, bool past);

/// A length of time in one or two units, for people: "820 ms", "4.2 s", "3 min 5 s", "2 h 10 min", "5 d 3 h".
std::string rough_text(workflow::span s);

/// "3 min 5 s ago" or "in 4.2 s".
std::string relative_text(workflow::instant t, workflow::instant now);

} // namespace steadfast
