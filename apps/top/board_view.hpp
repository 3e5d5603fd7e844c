#pragma once

#include "apps/terminal/keys.hpp"
#include "apps/top/board.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::apps {

/// A board on a terminal with keys: one row is selected, and stays it when the next look has it in another place.
class board_view {
public:
  /// The next look.
  void show(board b);

  /// A key that moves, or filters.
  void press(const key& pressed);
  /// Keys are the text of a filter, until Enter or Escape.
  bool is_typing() const { return is_typing_; }
  /// Null: there is no row.
  const board_item* selected() const;

  /// As many lines as the terminal has.
  std::string picture(const terminal& to);

private:
  struct row {
    std::size_t list;
    board_item item;
  };
  void filter();
  void select_again();
  void move(std::ptrdiff_t by);
  void next_list();
  void type(const key& pressed);
  std::vector<std::string> body(const terminal& to, std::size_t& first, std::size_t& last) const;
  std::string status(const terminal& to) const;

  board all_;             ///< without the filter
  board shown_;           ///< with it, lists cut
  std::vector<row> rows_; ///< that can be selected
  std::vector<std::size_t> rest_;
  std::size_t at_ = 0;
  std::string name_; ///< of the selected one
  std::size_t scrolled_ = 0;
  std::string filter_;
  bool is_typing_ = false;
};

} // namespace steadfast::apps
