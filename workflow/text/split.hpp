#pragma once

#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// The parts between the separators, empty ones too: one more than there are separators. They live as long as the text.
std::vector<std::string_view> split(std::string_view text, char separator);

} // namespace steadfast::workflow
