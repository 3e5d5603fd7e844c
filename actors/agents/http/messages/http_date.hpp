#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace steadfast::actors {

/// Since 1970: each of the three forms of a date in HTTP (RFC 9110, 5.6.7), and what is close to them. After the year
/// 9999 it is the end of that. Nothing: it is no date.
std::optional<std::chrono::seconds> read_http_date(std::string_view text);

} // namespace steadfast::actors
