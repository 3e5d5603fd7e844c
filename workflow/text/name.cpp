#include "workflow/text/name.hpp"

#include <algorithm>

namespace steadfast::workflow {
namespace {

bool fits_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool is_visible(char c) {
  return c > ' ' && c <= '~';
}
bool is_printable(char c) {
  return c == ' ' || is_visible(c);
}

} // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= name_size_max && std::all_of(text.begin(), text.end(), fits_name);
}

bool is_word(std::string_view text, std::size_t size_max) {
  return !text.empty() && text.size() <= size_max && std::all_of(text.begin(), text.end(), is_visible);
}

bool is_text(std::string_view text, std::size_t size_max) {
  return !text.empty() && text.size() <= size_max && std::all_of(text.begin(), text.end(), is_printable);
}

std::string clipped(std::string_view text, std::size_t size_max) {
  if (text.size() <= size_max)
    return std::string{text};
  std::size_t end = size_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end; // the first byte left out is the middle of a character
  return std::string{text.substr(0, end)};
}

std::string quoted(std::string_view text) {
  const bool is_long = text.size() > name_size_max;
  std::string shown{text.substr(0, name_size_max)};
  std::replace_if(
    shown.begin(), shown.end(), [](char c) { return !is_printable(c); }, '?');
  return "`" + shown + (is_long ? "...`" : "`");
}

} // namespace steadfast::workflow
