#include "workflow/text/utf8.hpp"

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

} // namespace steadfast::workflow
