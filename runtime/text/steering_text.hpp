#pragma once

#include <string>
#include <string_view>

// Characters beyond ASCII that affect a terminal, or the order in which a text is shown.

namespace steadfast::runtime {

/// A well-formed UTF-8 sequence of two bytes or more that is a control character of C1, which some terminals obey, or
/// changes the direction of the text (Unicode's bidirectional controls), so that it reads differently.
bool steers_terminal(std::string_view sequence);

/// A JSON text with such characters escaped: the same values, and safe to print.
std::string escaped_json(std::string text);

} // namespace steadfast::runtime
