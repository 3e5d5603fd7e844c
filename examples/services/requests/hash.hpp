#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace services {

std::uint64_t hash_number(std::string_view bytes);

/// Sixteen hexadecimal digits.
std::string hash_text(std::string_view bytes);

} // namespace services
