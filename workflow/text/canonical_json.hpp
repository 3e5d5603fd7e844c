#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// One text for all JSON texts that say the same: without space, members in the order of their names, strings without
/// escapes that they do not need, numbers by their decimal value, of which no digit is lost (1, 1.0 and 10e-1 are one
/// number). It is for comparing, not for sending. Nothing: it is no JSON (is_json).
std::optional<std::string> canonical_json(std::string_view text);

/// Below, at or above 0 as number `a` is less than, equal to or greater than `b`, of which no digit is lost; exponents
/// of more than 15 digits are all one. Nothing: one is no number.
std::optional<int> compare_json_numbers(std::string_view a, std::string_view b);

/// "application/json", "text/json", and what ends with "+json", whatever parameters follow.
bool is_json_type(std::string_view content_type);

} // namespace steadfast::workflow
