#pragma once

#include "apps/terminal/keys.hpp"
#include "apps/terminal/terminal.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::apps {

/// Rows or lines by which a key moves; 0: it does not.
std::ptrdiff_t scrolled_by(const key& pressed, std::ptrdiff_t page);

std::vector<std::string> lines_of(std::string_view text);

std::string in_reverse(const std::string& plain, const terminal& to);

/// The last line of the screen: what is so, and which keys there are, if both fit.
std::string bottom_line(const std::string& what, const std::string& keys, const terminal& to);

/// A text that a person scrolls.
class text_view {
public:
  explicit text_view(std::string title) : title_{std::move(title)} {}

  /// The same text at another moment: the place stays.
  void show(std::string text) { text_ = std::move(text); }
  void press(const key& pressed) { moved_ += scrolled_by(pressed, page_); }

  /// As many lines as the terminal has; long lines go on in the next one.
  std::string picture(const terminal& to);

private:
  std::string title_;
  std::string text_;
  std::size_t scrolled_ = 0;
  std::ptrdiff_t moved_ = 0; ///< since the last picture
  std::ptrdiff_t page_ = 1;
};

} // namespace steadfast::apps
