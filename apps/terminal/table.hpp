#pragma once

#include "apps/terminal/terminal.hpp"

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

  /// Every line begins with `indent` spaces.
  std::string text(const terminal& to, std::size_t indent = 0) const;

private:
  std::vector<std::size_t> widths(std::size_t available) const;
  void append_row(std::string& out, const std::vector<cell>& row, const std::vector<std::size_t>& widths,
                  const terminal& to, std::size_t indent) const;

  std::vector<std::string> headings_;
  std::vector<std::vector<cell>> rows_;
};

/// The words of the text in lines of at most `columns`.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

} // namespace steadfast::apps
