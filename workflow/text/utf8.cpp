#include "workflow/text/utf8.hpp"

#include <algorithm>
#include <array>

namespace steadfast::workflow {

std::size_t utf8_size(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned lowest = 0x80, unsigned highest = 0xBF) {
    return byte(i) >= lowest && byte(i) <= highest;
  };
  const auto first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return follows(1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0) // not what is too long, no half of a pair of surrogates
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

std::uint32_t code_point(std::string_view sequence) {
  static constexpr std::array<std::uint32_t, 5> payload_of_first{0, 0x7F, 0x1F, 0x0F, 0x07};
  auto code = static_cast<unsigned char>(sequence[0]) & payload_of_first[sequence.size()];
  for (const char c : sequence.substr(1))
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

bool steers_terminal(std::string_view sequence) {
  struct range {
    std::uint32_t first;
    std::uint32_t last;
  };
  static constexpr std::array<range, 5> steers{{
    {0x80, 0x9F},     // C1
    {0x061C, 0x061C}, // Arabic letter mark
    {0x200E, 0x200F}, // left-to-right and right-to-left marks
    {0x2028, 0x202E}, // separators of lines, embeddings and overrides
    {0x2066, 0x2069}, // isolates
  }};
  const auto code = code_point(sequence);
  return std::any_of(steers.begin(), steers.end(), [&](const range& r) { return code >= r.first && code <= r.last; });
}

} // namespace steadfast::workflow
