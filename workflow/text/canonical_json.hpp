#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// One text for all JSON texts that mean the same: without white space, members in the order of their names, strings
/// without unnecessary escapes, numbers by their exact decimal value (1, 1.0 and 10e-1 are one number). It is for
/// comparing, not for sending. Nothing: the text is not JSON (is_json).
std::optional<std::string> canonical_json(std::string_view text);

/// Below, at or above 0 as number `a` is less than, equal to or greater than `b`, compared exactly; exponents of more
/// than 15 digits count as equal. Nothing: one of them is not a number.
std::optional<int> compare_json_numbers(std::string_view a, std::string_view b);

/// Whether it is "application/json" or "text/json", or ends with "+json", whatever parameters follow.
bool is_json_type(std::string_view content_type);

} // namespace steadfast::workflow
