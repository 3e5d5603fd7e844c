#include "apps/terminal/keys.hpp"

#include "workflow/text/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace steadfast::apps {
namespace {

using kind = key::kind;

struct sequence {
  std::string_view bytes; ///< after the escape
  kind what;
};

constexpr sequence sequences[] = {
  {"[A", kind::up},         {"OA", kind::up},   {"[B", kind::down}, {"OB", kind::down},  {"[5~", kind::page_up},
  {"[6~", kind::page_down}, {"[H", kind::home}, {"OH", kind::home}, {"[1~", kind::home}, {"[7~", kind::home},
  {"[F", kind::end},        {"OF", kind::end},  {"[4~", kind::end}, {"[8~", kind::end},
};

/// How many bytes after an escape belong to it: parameters end with a letter or ~ (ECMA-48, 5.4).
std::size_t size_of_sequence(std::string_view after) {
  if (after.empty() || (after[0] != '[' && after[0] != 'O'))
    return 0;
  const auto last = std::find_if(after.begin() + 1, after.end(), [](char c) { return c >= 0x40; });
  return static_cast<std::size_t>(last - after.begin()) + (last == after.end() ? 0 : 1);
}

kind kind_of(char c) {
  switch (c) {
    case '\r':
    case '\n': return kind::enter;
    case '\t': return kind::tab;
    case '\b':
    case '\x7F': return kind::backspace;
    default: return static_cast<unsigned char>(c) < 0x20 ? kind::other : kind::character;
  }
}

} // namespace

key take_key(std::string& bytes) {
  std::size_t size = 1;
  key pressed;
  if (bytes[0] == '\x1b') {
    const auto after = std::string_view{bytes}.substr(1);
    size += size_of_sequence(after);
    pressed.what = size == 1 ? kind::escape : kind::other;
    for (const auto& s : sequences)
      if (s.bytes == after.substr(0, size - 1))
        pressed.what = s.what;
  } else {
    const auto whole = workflow::utf8_size(bytes);
    size = std::max<std::size_t>(whole, 1);
    pressed = {whole == 0 ? kind::other : kind_of(bytes[0]), bytes.substr(0, size)};
  }
  bytes.erase(0, size);
  return pressed;
}

} // namespace steadfast::apps
