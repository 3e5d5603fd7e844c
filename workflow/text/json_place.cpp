#include "workflow/text/json_place.hpp"

#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_scan.hpp"

#include <algorithm>
#include <cstddef>

namespace steadfast::workflow {

namespace {

std::optional<std::string_view> member_of(json_scan in, const std::string& name) {
  std::optional<std::string_view> found;
  for (bool more = in.enter(); more; more = in.more()) {
    const bool is_it = in.name() == name;
    const auto value = in.value();
    if (is_it)
      found = value;
  }
  return found;
}

std::optional<std::string_view> element_of(json_scan in, const std::string& token) {
  std::size_t index = 0;
  for (bool more = in.enter(); more; more = in.more(), ++index) {
    const auto value = in.value();
    if (token == std::to_string(index))
      return value;
  }
  return std::nullopt;
}

/// Bytes of the well-formed sequence that `text` begins with; 0: it does not begin with one.
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

} // namespace

std::string unescaped_token(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    text += !is_escape ? token[i] : token[i + 1] == '1' ? '/' : '~';
    i += is_escape ? 1 : 0;
  }
  return text;
}

std::optional<std::string_view> json_value_at(std::string_view text, std::string_view pointer) {
  std::optional<std::string_view> found = json_scan{text}.value();
  while (found && !pointer.empty()) {
    pointer.remove_prefix(1);
    const auto token = unescaped_token(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(std::min(pointer.find('/'), pointer.size()));
    json_scan in{*found};
    const char kind = in.next();
    found = kind == '{' ? member_of(in, token) : kind == '[' ? element_of(in, token) : std::nullopt;
  }
  return found;
}

std::string compact_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  bool is_escaped = false;
  for (const char c : text) {
    if (in_string || (c != ' ' && c != '\t' && c != '\n' && c != '\r'))
      out += c;
    if (c == '"' && !is_escaped)
      in_string = !in_string;
    is_escaped = in_string && c == '\\' && !is_escaped;
  }
  return out;
}

bool is_same_json(std::string_view a, std::string_view b) {
  if (a == b)
    return true;
  const auto first = canonical_json(a);
  return first && first == canonical_json(b);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto size = utf8_size(text);
    if (size == 0)
      return false;
    text.remove_prefix(size);
  }
  return true;
}

} // namespace steadfast::workflow
