#pragma once

#include <string>
#include <string_view>
#include <vector>

// The short forms that people type in the console.

namespace steadfast::apps {

/// The words of a line, separated by blanks; '...' and "..." keep blanks. A backslash takes the next character as it
/// is, except within '...'. Throws failure if a quote is left open.
std::vector<std::string> words_of(std::string_view line);

struct shorthand {
  std::string_view word;
  std::string_view meaning; ///< the words of the command in full
};

/// `tasks` for `task list` and the like.
const std::vector<shorthand>& shorthands();

/// The words with the shorthand at their beginning spelt out; `task ID` is `task show ID`. Options before it that
/// choose a node come behind it.
std::vector<std::string> in_full(std::vector<std::string> words);

} // namespace steadfast::apps
