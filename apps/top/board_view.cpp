#include "apps/top/board_view.hpp"

#include "apps/top/text_view.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::apps {
namespace {

constexpr std::ptrdiff_t rows_of_page = 10;
constexpr std::size_t indent = 2;

std::string in_small(std::string text) {
  for (auto& c : text)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool has_text(const table& rows, std::size_t i, const std::string& text) {
  for (std::size_t column = 0; column < rows.columns(); ++column)
    if (in_small(rows.at(i, column)).find(in_small(text)) != std::string::npos)
      return true;
  return false;
}

void keep(board_list& list, const std::string& text) {
  for (auto i = list.rows.size(); i-- > 0;)
    if (!has_text(list.rows, i, text)) {
      list.rows.erase(i);
      list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// With a mark, and in reverse, if it is selected.
std::string row_line(const std::string& text, bool is_selected, const terminal& to) {
  const auto line = folded(text, to.width).front();
  return is_selected ? in_reverse(">" + unpainted(line).substr(1), to) : line;
}

} // namespace

void board_view::show(board b) {
  all_ = std::move(b);
  filter();
}

void board_view::filter() {
  shown_ = all_;
  rows_.clear();
  rest_.clear();
  for (std::size_t i = 0; i < shown_.lists.size(); ++i) {
    auto& list = shown_.lists[i];
    if (!filter_.empty())
      keep(list, filter_);
    rest_.push_back(cut_rows(list));
    if (list.lead)
      rows_.push_back({i, list.lead->item});
    for (const auto& item : list.items)
      rows_.push_back({i, item});
    if (rest_.back() > 0)
      rows_.push_back({i, list.all});
  }
  select_again();
}

void board_view::select_again() {
  if (at_ < rows_.size() && rows_[at_].item.name == name_)
    return;
  const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const row& r) { return r.item.name == name_; });
  at_ = same != rows_.end() ? static_cast<std::size_t>(same - rows_.begin())
                            : std::min(at_, rows_.empty() ? 0 : rows_.size() - 1);
  name_ = rows_.empty() ? "" : rows_[at_].item.name;
}

const board_item* board_view::selected() const {
  return rows_.empty() ? nullptr : &rows_[at_].item;
}

void board_view::move(std::ptrdiff_t by) {
  if (rows_.empty())
    return;
  const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
  at_ = static_cast<std::size_t>(std::clamp(static_cast<std::ptrdiff_t>(at_) + by, std::ptrdiff_t{0}, last));
  name_ = rows_[at_].item.name;
}

/// The first row of the next list that has any, after the last one that of the first.
void board_view::next_list() {
  for (std::size_t i = 1; i < rows_.size(); ++i)
    if (const auto to = (at_ + i) % rows_.size(); to == 0 || rows_[to].list > rows_[at_].list)
      return move(static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(at_));
}

void board_view::type(const key& pressed) {
  using kind = key::kind;
  if (pressed.what == kind::escape)
    filter_.clear();
  is_typing_ = pressed.what != kind::enter && pressed.what != kind::escape;
  if (pressed.what == kind::character)
    filter_ += pressed.text;
  while (pressed.what == kind::backspace && !filter_.empty()) {
    const bool is_begin = (static_cast<unsigned char>(filter_.back()) & 0xC0) != 0x80;
    filter_.pop_back();
    if (is_begin)
      break;
  }
  filter();
}

void board_view::press(const key& pressed) {
  using kind = key::kind;
  if (is_typing_)
    return type(pressed);
  if (pressed.is('/')) {
    is_typing_ = true;
  } else if (pressed.what == kind::escape) {
    filter_.clear();
    filter();
  } else if (pressed.what == kind::tab) {
    next_list();
  } else if (const auto by = scrolled_by(pressed, rows_of_page); by != 0) {
    move(by);
  }
}

/// All lines of the lists; the selected row is the one at `last`, and `first` the first line of what stands above it in
/// its list, if it is the first there.
std::vector<std::string> board_view::body(const terminal& to, std::size_t& first, std::size_t& last) const {
  std::vector<std::string> lines;
  std::size_t i = 0;
  for (std::size_t n = 0; n < shown_.lists.size(); ++n) {
    const auto& list = shown_.lists[n];
    const auto begin = lines.size();
    const auto i_begin = i;
    const auto add = [&](const std::string& text) {
      if (i == at_) {
        first = i == i_begin ? begin : lines.size();
        last = lines.size();
      }
      lines.push_back(row_line(text, i++ == at_, to));
    };
    lines.emplace_back();
    if (list.lead)
      add(std::string(indent, ' ') + list.lead->text);
    const auto rows = list.rows.lines(to, indent);
    const auto none = std::string(indent, ' ') + (filter_.empty() ? list.when_empty : "-");
    lines.push_back(row_line(list.rows.empty() ? none : rows[0], false, to));
    for (std::size_t r = 1; r < rows.size(); ++r)
      add(rows[r]);
    if (rest_[n] > 0)
      add(std::string(indent, ' ') + rest_text(list, rest_[n]));
  }
  return lines;
}

std::string board_view::status(const terminal& to) const {
  if (is_typing_)
    return bottom_line("/" + printable(filter_) + "_", "Enter keeps it, Escape drops it", to);
  const auto keys = "arrows move, Enter opens, / filters, ? keys, q leaves";
  return filter_.empty() ? bottom_line("", keys, to)
                         : bottom_line("only `" + printable(filter_) + "`, Escape: all", keys, to);
}

std::string board_view::picture(const terminal& to) {
  std::string text;
  const auto head = lines_of(shown_.head);
  for (const auto& line : head)
    text += row_line(line, false, to) + "\n";
  const auto height = to.height - std::min(to.height, head.size() + 1);
  std::size_t first = 0;
  std::size_t last = 0;
  const auto lines = body(to, first, last);
  scrolled_ = std::min(scrolled_, lines.size() - std::min(lines.size(), height));
  if (last >= scrolled_ + height)
    scrolled_ = last + 1 - height;
  scrolled_ = std::min(scrolled_, first);
  for (auto i = scrolled_; i < std::min(lines.size(), scrolled_ + height); ++i)
    text += lines[i] + "\n";
  for (auto i = lines.size() - scrolled_; i < height; ++i)
    text += "\n";
  return text + status(to);
}

} // namespace steadfast::apps
