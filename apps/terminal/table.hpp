#pragma once

#include "apps/terminal/terminal.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::apps {

struct cell {
  cell(std::string t, colour c = colour::plain) : text{std::move(t)}, paint{c} {}
  cell(const char* t) : text{t} {}

  std::string text; ///< anything: it is made printable
  colour paint = colour::plain;
};

/// Rows under headings, in columns that fit the terminal: the widest columns are cut, but the last one is wrapped.
class table {
public:
  explicit table(std::vector<std::string> headings);

  /// REQUIRES: as many cells as headings.
  void add(std::vector<cell> row);
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  std::size_t columns() const { return headings_.size(); }
  const std::string& at(std::size_t row, std::size_t column) const { return rows_[row][column].text; }
  /// Without these columns.
  void drop(const std::vector<std::string>& headings);
  void erase(std::size_t row) { rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(row)); }

  /// Every line begins with `indent` spaces.
  std::string text(const terminal& to, std::size_t indent = 0) const;
  /// A line for each, the last column cut too: the headings, then the rows.
  std::vector<std::string> lines(const terminal& to, std::size_t indent = 0) const;

private:
  std::vector<std::string> parts(const terminal& to, std::size_t indent, bool wraps) const;
  std::vector<std::size_t> widths(std::size_t available) const;
  void append_row(std::string& out, const std::vector<cell>& row, const std::vector<std::size_t>& widths,
                  const terminal& to, std::size_t indent, bool wraps) const;

  std::vector<std::string> headings_;
  std::vector<std::vector<cell>> rows_;
};

/// The words of the text in lines of at most `columns`.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

} // namespace steadfast::apps
