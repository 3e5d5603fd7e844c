#include "apps/top/text_view.hpp"

#include <algorithm>
#include <sstream>

namespace steadfast::apps {
namespace {

constexpr std::ptrdiff_t all_the_way = 1'000'000'000;

} // namespace

std::ptrdiff_t scrolled_by(const key& pressed, std::ptrdiff_t page) {
  using kind = key::kind;
  switch (pressed.what) {
    case kind::up: return -1;
    case kind::down: return 1;
    case kind::page_up: return -page;
    case kind::page_down: return page;
    case kind::home: return -all_the_way;
    case kind::end: return all_the_way;
    default:
      return pressed.is('k')   ? -1
             : pressed.is('j') ? 1
             : pressed.is('b') ? -page
             : pressed.is(' ') ? page
             : pressed.is('g') ? -all_the_way
             : pressed.is('G') ? all_the_way
                               : 0;
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream in{std::string{text}};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  if (lines.empty())
    lines.emplace_back();
  return lines;
}

std::string in_reverse(const std::string& plain, const terminal& to) {
  return to.has_colours
           ? "\x1b[7m" + plain + std::string(to.width - std::min(to.width, columns_of(plain)), ' ') + "\x1b[0m"
           : plain;
}

std::string bottom_line(const std::string& what, const std::string& keys, const terminal& to) {
  const auto both = what.empty() ? keys : what + "   " + keys;
  return in_reverse(cut(columns_of(both) <= to.width || what.empty() ? both : what, to.width), to);
}

std::string text_view::picture(const terminal& to) {
  std::vector<std::string> lines;
  for (const auto& line : lines_of(text_))
    for (auto& part : folded(line, to.width))
      lines.push_back(std::move(part));
  const auto height = std::max<std::size_t>(to.height, 2) - 1;
  page_ = static_cast<std::ptrdiff_t>(std::max<std::size_t>(height, 2) - 1);
  const auto most = static_cast<std::ptrdiff_t>(lines.size() - std::min(lines.size(), height));
  scrolled_ = static_cast<std::size_t>(
    std::clamp(static_cast<std::ptrdiff_t>(scrolled_) + std::exchange(moved_, 0), std::ptrdiff_t{0}, most));
  const auto end = std::min(lines.size(), scrolled_ + height);
  std::string text;
  for (auto i = scrolled_; i < scrolled_ + height; ++i)
    text += (i < end ? lines[i] : "") + "\n";
  const auto place =
    std::to_string(scrolled_ + 1) + " to " + std::to_string(end) + " of " + std::to_string(lines.size());
  return text + bottom_line(title_ + ": " + place, "arrows scroll, Escape or q goes back", to);
}

} // namespace steadfast::apps
