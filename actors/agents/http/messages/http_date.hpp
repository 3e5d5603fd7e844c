#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace steadfast::actors {

/// Seconds since 1970, from any of the three forms of a date in HTTP (RFC 9110, 5.6.7), or what is close to them. A
/// later year than 9999 counts as the end of that year. Nothing: the text is no date.
std::optional<std::chrono::seconds> read_http_date(std::string_view text);

} // namespace steadfast::actors
