#include "apps/terminal/table.hpp"

#include <algorithm>
#include <numeric>

namespace steadfast::apps {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t column_least = 8;
constexpr std::size_t last_column_least = 24;

} // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    lines.push_back(line);
    line.clear();
  };
  columns = std::max<std::size_t>(columns, 2); // room for the widest letter
  for (std::size_t begin = 0; begin < text.size();) {
    const auto space = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, space - begin);
    begin = space + 1;
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns)
      end_line();
    for (; columns_of(word) > columns; end_line()) { // a word longer than a line
      line = word.substr(0, bytes_of(word, columns));
      word.erase(0, line.size());
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty() || lines.empty())
    end_line();
  return lines;
}

table::table(std::vector<std::string> headings) : headings_{std::move(headings)} {}

void table::add(std::vector<cell> row) {
  for (auto& c : row)
    c.text = printable(c.text);
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> table::widths(std::size_t available) const {
  std::vector<std::size_t> w;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    auto widest = columns_of(headings_[i]);
    for (const auto& row : rows_)
      widest = std::max(widest, columns_of(row[i].text));
    w.push_back(widest);
  }
  const auto total = [&w] { return std::accumulate(w.begin(), w.end(), gap * (w.size() - 1)); };
  if (total() > available) // the last column wraps: it gives way first
    w.back() -= std::min(w.back() - std::min(w.back(), last_column_least), total() - available);
  while (total() > available) {
    const auto widest = std::max_element(w.begin(), w.end());
    if (*widest <= column_least)
      break;
    --*widest;
  }
  return w;
}

void table::append_row(std::string& out, const std::vector<cell>& row, const std::vector<std::size_t>& w,
                       const terminal& to, std::size_t indent, bool wraps) const {
  const auto last = row.size() - 1;
  std::size_t before = indent;
  out.append(indent, ' ');
  for (std::size_t i = 0; i < last; ++i) {
    const auto text = cut(row[i].text, w[i]);
    out += painted(text, row[i].paint, to) + std::string(w[i] - columns_of(text) + gap, ' ');
    before += w[i] + gap;
  }
  const auto lines = wraps ? wrapped(row[last].text, w[last]) : std::vector{cut(row[last].text, w[last])};
  for (std::size_t n = 0; n < lines.size(); ++n)
    out += (n == 0 ? std::string{} : "\n" + std::string(before, ' ')) + painted(lines[n], row[last].paint, to);
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

std::vector<std::string> table::parts(const terminal& to, std::size_t indent, bool wraps) const {
  const auto w = widths(to.width - std::min(to.width, indent));
  std::vector<cell> headings;
  for (const auto& h : headings_)
    headings.emplace_back(h, colour::faint);
  std::vector<std::string> all(1);
  append_row(all.back(), headings, w, to, indent, wraps);
  for (const auto& row : rows_)
    append_row(all.emplace_back(), row, w, to, indent, wraps);
  return all;
}

std::string table::text(const terminal& to, std::size_t indent) const {
  std::string out;
  for (const auto& part : parts(to, indent, true))
    out += part;
  return out;
}

std::vector<std::string> table::lines(const terminal& to, std::size_t indent) const {
  auto all = parts(to, indent, false);
  for (auto& line : all)
    line.pop_back(); // the line end
  return all;
}

void table::drop(const std::vector<std::string>& headings) {
  for (auto i = headings_.size(); i-- > 0;)
    if (std::find(headings.begin(), headings.end(), headings_[i]) != headings.end()) {
      const auto column = static_cast<std::ptrdiff_t>(i);
      headings_.erase(headings_.begin() + column);
      for (auto& row : rows_)
        row.erase(row.begin() + column);
    }
}

} // namespace steadfast::apps
