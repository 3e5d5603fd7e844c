#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace steadfast {

// JSON whose numbers keep their digits. A number that the library would write differently from how it was read (1.10,
// 1e400, 123456789012345678901234567890, -0.0) is kept as its text, in a binary value; nothing else in JSON becomes a
// binary value.

/// The result is `discarded` if the text is not JSON (workflow::is_json).
nlohmann::json exact_json(std::string_view text);

/// The text; invalid UTF-8 is replaced.
std::string exact_text(const nlohmann::json& j);

/// For readers that use doubles: each number that is kept as text becomes a double, or a string if it is too large.
nlohmann::json with_doubles(nlohmann::json j);

} // namespace steadfast
