#include "runtime/text/steering_text.hpp"

#include "workflow/text/utf8.hpp"

#include <array>
#include <cstdio>

namespace steadfast::runtime {

namespace {

std::size_t size_by_first(char c) {
  const auto first = static_cast<unsigned char>(c);
  return first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 && first < 0xE0 ? 2 : 1;
}

} // namespace

std::string escaped_json(std::string text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto size = size_by_first(text[i]);
    const std::string_view sequence = std::string_view{text}.substr(i, size);
    if (size > 1 && sequence.size() == size && workflow::steers_terminal(sequence)) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", workflow::code_point(sequence));
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
