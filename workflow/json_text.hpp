#pragma once

#include <string_view>

namespace steadfast::workflow {

/// A JSON text (RFC 8259) and nothing else, nested at most 64 deep. The rules check JSON but never read it.
bool is_json(std::string_view text);

/// A JSON text without space between its tokens: two such texts can be compared as bytes.
bool is_compact_json(std::string_view text);

/// A JSON Pointer (RFC 6901) in string form; "" is the whole document.
bool is_json_pointer(std::string_view text);

} // namespace steadfast::workflow
