#include "workflow/text/name.hpp"

#include "workflow/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

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

/// A character, or a byte that is part of none.
bool is_shown(std::string_view character) {
  return character.size() == 1 ? is_printable(character[0]) : !steers_terminal(character);
}

/// As much as fits without a part of a character at the end.
std::size_t clipped_size(std::string_view text, std::size_t size_max) {
  if (text.size() <= size_max)
    return text.size();
  std::size_t end = size_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end; // the first byte left out is the middle of a character
  return end;
}

constexpr std::size_t digest_size = 32;

/// Two FNV-1a sums in hexadecimal digits.
std::string digest_of(std::string_view text) {
  std::string digits;
  for (const auto basis : std::array<std::uint64_t, 2>{0xcbf29ce484222325U, 0x9e3779b97f4a7c15U}) {
    auto sum = basis;
    for (const char c : text)
      sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    for (int shift = 60; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[sum >> shift & 15U];
  }
  return digits;
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
  return std::string{text.substr(0, clipped_size(text, size_max))};
}

std::string fitted(std::string text, std::size_t size_max, char separator) {
  if (text.size() <= size_max)
    return text;
  const auto digest = digest_of(text);
  text.resize(size_max - digest_size - 1);
  return text + separator + digest;
}

std::string quoted(std::string_view text) {
  std::string shown = "`";
  auto left = text.substr(0, clipped_size(text, name_size_max));
  for (std::size_t size = 0; !left.empty(); left.remove_prefix(size)) {
    size = std::max<std::size_t>(utf8_size(left), 1);
    const auto character = left.substr(0, size);
    shown += is_shown(character) ? character : "?";
  }
  return shown + (text.size() > name_size_max ? "...`" : "`");
}

} // namespace steadfast::workflow
