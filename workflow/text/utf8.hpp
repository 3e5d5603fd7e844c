#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steadfast::workflow {

/// Size of the well-formed UTF-8 sequence with which `text` begins; 0: it does not begin with one. REQUIRES: not empty.
std::size_t utf8_size(std::string_view text);

/// REQUIRES: a well-formed sequence, and nothing else.
std::uint32_t code_point(std::string_view sequence);

/// Whether a well-formed sequence of two or more bytes is a C1 control character, which some terminals obey, or changes
/// the direction of the text (Unicode's bidirectional controls), so that it reads differently.
bool steers_terminal(std::string_view sequence);

} // namespace steadfast::workflow
