#include "workflow/text/json_text.hpp"

#include "workflow/text/utf8.hpp"

#include <cstddef>

namespace steadfast::workflow {
namespace {

bool is_json_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_json_hex(char c) {
  return is_json_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Walks over one JSON text. Each member takes what it names and says whether it was there.
class json_walk {
public:
  json_walk(std::string_view text, bool with_space) : rest_{text}, with_space_{with_space} {}

  bool document() { return value(0) && rest_.empty(); }

private:
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool word(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected)
      return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  void space() {
    while (with_space_ && (take(' ') || take('\n') || take('\t') || take('\r'))) {
    }
  }

  bool digits() {
    const std::size_t before = rest_.size();
    while (is_json_digit(peek()))
      rest_.remove_prefix(1);
    return rest_.size() < before;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits())
      return false;
    if (take('.') && !digits())
      return false;
    if (take('e') || take('E')) {
      if (!take('+'))
        take('-');
      return digits();
    }
    return true;
  }

  bool escape() {
    if (take('u')) {
      for (int i = 0; i < 4; ++i) {
        if (!is_json_hex(peek()))
          return false;
        rest_.remove_prefix(1);
      }
      return true;
    }
    return take('"') || take('\\') || take('/') || take('b') || take('f') || take('n') || take('r') || take('t');
  }

  bool string() {
    if (!take('"'))
      return false;
    for (;;) {
      rest_.remove_prefix(plain_in_string(rest_));
      if (take('"'))
        return true;
      if (!take('\\') || !escape())
        return false;
    }
  }

  bool member(int depth) {
    space();
    if (!string())
      return false;
    space();
    return take(':') && value(depth);
  }

  template <class Element>
  bool list(char close, Element element) {
    space();
    if (take(close))
      return true;
    do {
      if (!element())
        return false;
    } while (take(','));
    return take(close);
  }

  bool bare_value(int depth) {
    if (depth > json_depth_max)
      return false;
    if (take('{'))
      return list('}', [this, depth] { return member(depth + 1); });
    if (take('['))
      return list(']', [this, depth] { return value(depth + 1); });
    if (peek() == '"')
      return string();
    return word("true") || word("false") || word("null") || number();
  }

  bool value(int depth) {
    space();
    const bool found = bare_value(depth);
    space();
    return found;
  }

  std::string_view rest_;
  bool with_space_;
};

} // namespace

bool is_json(std::string_view text) {
  return json_walk{text, true}.document();
}

bool is_compact_json(std::string_view text) {
  return json_walk{text, false}.document();
}

void append_string(std::string& to, std::string_view text) {
  constexpr const char* hex = "0123456789abcdef";
  to += '"';
  for (;;) {
    const auto plain = plain_in_string(text);
    to += text.substr(0, plain);
    if (plain == text.size())
      break;
    const char c = text[plain];
    if (static_cast<unsigned char>(c) < 0x20)
      to.append("\\u00").append(1, hex[c >> 4]).append(1, hex[c & 15]);
    else
      to.append(1, '\\').append(1, c);
    text.remove_prefix(plain + 1);
  }
  to += '"';
}

std::string json_string(std::string_view text) {
  std::string sound;
  while (!text.empty()) {
    const auto size = utf8_size(text);
    sound += size == 0 ? "\xEF\xBF\xBD" : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  std::string quoted;
  append_string(quoted, sound);
  return quoted;
}

bool is_json_pointer(std::string_view text) {
  if (text.empty())
    return true;
  if (text.front() != '/')
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')))
      return false;
  }
  return true;
}

} // namespace steadfast::workflow
