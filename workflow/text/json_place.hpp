#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// The value at a place of a JSON text, exactly as it is written there; a view of `text`. Nothing if there is none. Of
/// several members with one name, the last counts. REQUIRES: is_json(text), is_json_pointer(pointer).
std::optional<std::string_view> json_value_at(std::string_view text, std::string_view pointer);

/// One token of a JSON Pointer without its escapes: ~1 is a slash, ~0 a tilde (RFC 6901, 4).
std::string unescaped_token(std::string_view token);

/// The text without white space between its tokens, which are left as they are. REQUIRES: is_json(text).
std::string compact_json(std::string_view text);

/// Whether two texts mean the same, however they are written: numbers are compared by their exact value.
bool is_same_json(std::string_view a, std::string_view b);

/// Well-formed UTF-8 (RFC 3629), which JSON texts that are sent to others must be.
bool is_utf8(std::string_view text);

} // namespace steadfast::workflow
