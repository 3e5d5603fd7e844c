#include "workflow/text/json_place.hpp"

#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/utf8.hpp"

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
