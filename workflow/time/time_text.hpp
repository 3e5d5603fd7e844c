#pragma once

#include "workflow/time/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// "2026-01-01T12:00:05.250Z" (RFC 3339).
std::string utc_text(instant t);
/// Reads what utc_text wrote; nothing if it is anything else.
std::optional<instant> parse_utc_text(std::string_view text);

/// A moment as people and services write it (ISO 8601, RFC 3339): "2026-12-24T18:00:00+01:00", with or without seconds
/// and fractions, which are cut after milliseconds; "Z" for UTC. Nothing if it is anything else, or names no zone.
std::optional<instant> parse_moment(std::string_view text);

/// "2026-01-01T12:00:05Z", the seconds rounded up, so that `t` is not later than the moment named.
std::string utc_seconds_text(instant t);

} // namespace steadfast::workflow
