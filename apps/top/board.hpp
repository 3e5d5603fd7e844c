#pragma once

#include "apps/terminal/table.hpp"
#include "apps/terminal/terminal.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// What `top` shows at one moment.

namespace steadfast::apps {

/// What a person can open. Its name stays the same from one look to the next.
struct board_item {
  std::string name;
  std::vector<std::vector<std::string>> commands; ///< that print what it is about
};

struct board_line {
  std::string text;
  board_item item;
};

/// Rows of the same kind.
struct board_list {
  table rows;
  std::vector<board_item> items{}; ///< one for each row
  std::string when_empty{};
  std::size_t shown = 0;            ///< at most so many rows
  std::optional<board_line> lead{}; ///< above them
  std::string rest{};               ///< what the rows that are not shown are: "agent"
  board_item all{};                 ///< which lists them
  bool says_rest = true;            ///< without keys too
};

struct board {
  std::string head; ///< lines about the whole
  std::vector<board_list> lists;
};

/// Without keys: everything one below the other.
std::string board_text(board b, const terminal& to);

/// How many rows would follow those that are shown, after which the list has no others.
std::size_t cut_rows(board_list& list);

/// "and 3 more agents".
std::string rest_text(const board_list& list, std::size_t rest);

} // namespace steadfast::apps
