#pragma once

#include <cstdint>
#include <string>

namespace steadfast::apps {

/// What a person pressed.
struct key {
  enum class kind : std::uint8_t {
    character, ///< `text` has it
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    tab,
    backspace,
    escape,
    other, ///< one that nothing here uses
  };
  kind what = kind::other;
  std::string text{}; ///< a character in UTF-8

  bool is(char c) const { return what == kind::character && text.size() == 1 && text[0] == c; }
};

/// The first key of the bytes that a terminal has sent (as xterm and its like do, in both cursor modes); they are taken
/// away. An escape that nothing follows is the key Escape. REQUIRES: there are some.
key take_key(std::string& bytes);

} // namespace steadfast::apps
