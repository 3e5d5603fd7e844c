#include "runtime/text/steering_text.hpp"

#include <array>
#include <cstdio>

namespace steadfast::runtime {

namespace {

struct steering {
  unsigned first;
  unsigned last;
};
constexpr std::array<steering, 5> steers{{
  {0x80, 0x9F},     // C1
  {0x061C, 0x061C}, // Arabic letter mark
  {0x200E, 0x200F}, // left-to-right and right-to-left marks
  {0x2028, 0x202E}, // separators of lines, embeddings and overrides
  {0x2066, 0x2069}, // isolates
}};

/// 0: of another length. REQUIRES: well-formed.
unsigned code_of(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(sequence[i])); };
  if (sequence.size() == 2)
    return ((byte(0) & 0x1FU) << 6U) | (byte(1) & 0x3FU);
  if (sequence.size() == 3)
    return ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
  return 0;
}

std::size_t size_by_first(char c) {
  const auto first = static_cast<unsigned char>(c);
  return first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 && first < 0xE0 ? 2 : 1;
}

} // namespace

bool steers_terminal(std::string_view sequence) {
  const auto code = code_of(sequence);
  for (const auto& s : steers)
    if (code >= s.first && code <= s.last)
      return true;
  return false;
}

std::string escaped_json(std::string text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto size = size_by_first(text[i]);
    const std::string_view sequence = std::string_view{text}.substr(i, size);
    if (size > 1 && sequence.size() == size && steers_terminal(sequence)) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", code_of(sequence));
      out.append(text, copied, i - copied).append(escape.data());
      copied = i + size;
    }
    i += size;
  }
  if (copied == 0)
    return text;
  return out.append(text, copied);
}

} // namespace steadfast::runtime
