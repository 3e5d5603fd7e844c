#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::workflow {

inline constexpr std::size_t name_size_max = 64;
inline constexpr std::string_view name_rule = "1 to 64 of the characters A-Z a-z 0-9 _ -";

/// Whether it can name a workflow, a step or an agent: see name_rule.
bool is_name(std::string_view text);

/// 1 to `size_max` printable ASCII characters, none of them a space.
bool is_word(std::string_view text, std::size_t size_max);

/// 1 to `size_max` printable ASCII characters, spaces among them.
bool is_text(std::string_view text, std::size_t size_max);

/// The beginning of the text, at most `size_max` bytes, without part of a UTF-8 character at its end.
std::string clipped(std::string_view text, std::size_t size_max);

/// The text; or if it is too long, its beginning, the separator and a digest. That keeps texts apart, but not against
/// somebody who wants them to collide. REQUIRES: size_max > 33.
std::string fitted(std::string text, std::size_t size_max, char separator);

/// The text between backticks, safe to show: cut at 64 bytes; invalid UTF-8 and what controls a terminal become '?'.
std::string quoted(std::string_view text);

} // namespace steadfast::workflow
