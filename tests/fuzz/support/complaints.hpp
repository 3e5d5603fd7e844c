#pragma once

#include "runtime/toml/config_error.hpp"

#include <string>
#include <string_view>

namespace steadfast::fuzz {

/// Expects that each sentence begins with "FILE:LINE: ", names a line that the text has, and says something.
void check_complaints(const runtime::config_error& e, std::string_view text, const std::string& file);

} // namespace steadfast::fuzz
