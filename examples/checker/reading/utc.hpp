#pragma once

#include <cstdint>
#include <string_view>

namespace checker {

/// Reads "2026-01-31T12:00:00.123Z" (RFC 3339, UTC) as ms; false if the text is something else.
bool read_utc(std::string_view text, std::int64_t& into);

} // namespace checker
