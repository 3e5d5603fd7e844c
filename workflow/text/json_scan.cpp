#include "workflow/text/json_scan.hpp"

#include "workflow/text/json_text.hpp"

#include <algorithm>

namespace steadfast::workflow {
namespace {

constexpr unsigned high_surrogates = 0xD800;
constexpr unsigned low_surrogates = 0xDC00;
constexpr unsigned surrogates_end = 0xE000;

void append_utf8(std::string& to, unsigned code) {
  const auto tail = [&to](unsigned bits) { to += static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xC0U | (code >> 6));
    tail(code);
  } else if (code < 0x10000) {
    to += static_cast<char>(0xE0U | (code >> 12));
    tail(code >> 6);
    tail(code);
  } else {
    to += static_cast<char>(0xF0U | (code >> 18));
    tail(code >> 12);
    tail(code >> 6);
    tail(code);
  }
}

} // namespace

char json_scan::next() {
  take(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  return rest_.empty() ? '\0' : rest_.front();
}

bool json_scan::enter() {
  next();
  take(1);
  const char c = next();
  if (c != '}' && c != ']')
    return true;
  take(1);
  return false;
}

bool json_scan::more() {
  const bool is_comma = next() == ',';
  take(1);
  return is_comma;
}

std::string json_scan::name() {
  return unescaped(literal_name());
}

std::string_view json_scan::literal_name() {
  const auto found = literal();
  next();
  take(1);
  return found;
}

std::string json_scan::string() {
  return unescaped(literal());
}

std::string_view json_scan::literal() {
  next();
  std::size_t size = 1;
  for (;;) {
    size += plain_in_string(rest_.substr(size));
    const bool is_end = rest_[size] == '"';
    size += is_end ? 1 : 2; // what is escaped is one more, or digits, which are plain
    if (is_end)
      break;
  }
  const auto found = rest_.substr(0, size);
  take(size);
  return found;
}

std::string json_scan::unescaped(std::string_view literal) {
  const auto inside = literal.substr(1, literal.size() - 2);
  if (inside.find('\\') == std::string_view::npos)
    return std::string{inside};
  json_scan in{inside};
  std::string text;
  while (!in.rest_.empty()) {
    const auto plain = plain_in_string(in.rest_);
    text += in.rest_.substr(0, plain);
    in.take(plain);
    if (in.rest_.empty())
      break;
    in.take(1);
    in.escape(text);
  }
  return text;
}

unsigned json_scan::hex() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = rest_.front();
    take(1);
    code = code * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return code;
}

/// Half of a pair of surrogates is written as if it were a character: it stays told apart from every other.
void json_scan::escape(std::string& to) {
  const char c = rest_.front();
  take(1);
  switch (c) {
    case 'b': to += '\b'; return;
    case 'f': to += '\f'; return;
    case 'n': to += '\n'; return;
    case 'r': to += '\r'; return;
    case 't': to += '\t'; return;
    case 'u': break;
    default: to += c; return;
  }
  const auto first = hex();
  if (first >= high_surrogates && first < low_surrogates && rest_.starts_with("\\u")) {
    const auto before = rest_;
    take(2);
    const auto second = hex();
    if (second >= low_surrogates && second < surrogates_end)
      return append_utf8(to, 0x10000 + ((first - high_surrogates) << 10) + (second - low_surrogates));
    rest_ = before;
  }
  append_utf8(to, first);
}

std::string_view json_scan::word() {
  next();
  const auto found = rest_.substr(0, rest_.find_first_of(",]} \t\n\r"));
  take(found.size());
  return found;
}

void json_scan::skip_value() {
  std::size_t depth = 0;
  do {
    const char c = next();
    if (c == '"') {
      literal();
    } else if (c == '{' || c == '[' || c == '}' || c == ']' || c == ',' || c == ':') {
      depth += c == '{' || c == '[' ? 1 : 0;
      depth -= c == '}' || c == ']' ? 1 : 0;
      take(1);
    } else {
      word();
    }
  } while (depth > 0);
}

std::string_view json_scan::value() {
  next();
  const auto from = rest_;
  skip_value();
  return from.substr(0, from.size() - rest_.size());
}

} // namespace steadfast::workflow
