#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::apps {

/// Lines that a person types on the terminal, with editing, history and completion (libedit). One at a time exists.
class line_input {
public:
  using completer = std::function<std::vector<std::string>(const std::string& line_to_cursor)>;

  /// Earlier lines are read from `history` and kept there; empty: they are not kept.
  line_input(std::filesystem::path history, completer complete);
  ~line_input();
  line_input(const line_input&) = delete;
  line_input& operator=(const line_input&) = delete;

  struct line {
    std::string text;
    bool interrupted = false; ///< Ctrl-C was pressed instead
  };

  /// Nothing: the end, Ctrl-D. A line that is not empty becomes part of the history.
  std::optional<line> next(const std::string& prompt);

private:
  std::filesystem::path history_;
};

} // namespace steadfast::apps
