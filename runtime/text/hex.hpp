#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::runtime {

/// Two digits for each byte.
inline std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    text += digits[value >> 4U];
    text += digits[value & 15U];
  }
  return text;
}

/// Nothing: these are not two digits for each byte.
inline std::optional<std::string> bytes_of_hex(std::string_view digits) {
  std::string bytes;
  if (digits.size() % 2 != 0)
    return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned char byte = 0;
    const auto* const end = digits.data() + i + 2;
    if (std::from_chars(end - 2, end, byte, 16).ptr != end)
      return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

} // namespace steadfast::runtime
