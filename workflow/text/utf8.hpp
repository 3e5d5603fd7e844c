#pragma once

#include <cstddef>
#include <string_view>

namespace steadfast::workflow {

/// Bytes of the well-formed UTF-8 sequence that `text` begins with; 0: it does not begin with one. REQUIRES: not empty.
std::size_t utf8_size(std::string_view text);

} // namespace steadfast::workflow
