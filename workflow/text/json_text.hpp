#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::workflow {

inline constexpr int json_depth_max = 64;

/// Whether the text is JSON (RFC 8259) and no more, nested at most that deep. The rules check JSON but never read it.
bool is_json(std::string_view text);

/// A JSON text without white space between its tokens: two such texts can be compared as bytes.
bool is_compact_json(std::string_view text);

/// How much of the text can stand in a JSON string unchanged: all up to the first quotation mark, backslash or control
/// character.
inline std::size_t plain_in_string(std::string_view text) {
  const auto* const end = text.data() + text.size();
  const auto* at = text.data();
  while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20)
    ++at;
  return static_cast<std::size_t>(at - text.data());
}

/// Appends the text as a JSON string. REQUIRES: it is UTF-8.
void append_string(std::string& to, std::string_view text);
/// The text as a JSON string; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// A JSON Pointer (RFC 6901) in string form; "" is the whole document.
bool is_json_pointer(std::string_view text);

} // namespace steadfast::workflow
