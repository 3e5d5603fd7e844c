#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace steadfast {

// JSON whose numbers keep their digits. A number that the library would write in another way than it was read (1.10,
// 1e400, 123456789012345678901234567890, -0.0) is kept as its text, in a binary value, which no JSON text makes
// otherwise.

/// Discarded if it is no JSON (workflow::is_json).
nlohmann::json exact_json(std::string_view text);

/// The text; bytes that are no UTF-8 are replaced.
std::string exact_text(const nlohmann::json& j);

/// For readers who reckon with doubles: each number kept as text becomes one, or a string if it is too large for any.
nlohmann::json with_doubles(nlohmann::json j);

} // namespace steadfast
