#include "apps/terminal/line_input.hpp"

#include "apps/terminal/interrupt.hpp"

#include <editline/readline.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>

namespace steadfast::apps {
namespace {

constexpr int history_max = 1000;

/// libedit calls functions without a context; it is a singleton itself.
line_input::completer complete_line;
std::vector<std::string> candidates;

char* next_candidate(const char*, int state) {
  static std::size_t i = 0;
  if (state == 0)
    i = 0;
  return i < candidates.size() ? strdup(candidates[i++].c_str()) : nullptr; // libedit frees it
}

char** complete_word(const char* begin, int, int end) {
  rl_attempted_completion_over = 1; // no file names where there is nothing to say
  candidates = complete_line(std::string{rl_line_buffer, static_cast<std::size_t>(end)});
  return candidates.empty() ? nullptr : rl_completion_matches(begin, next_candidate);
}

std::unique_ptr<char, void (*)(void*)> read_line(const std::string& prompt) {
  const interrupt_guard::repeated ctrl_c;
  return {readline(prompt.c_str()), std::free};
}

} // namespace

line_input::line_input(std::filesystem::path history, completer complete) : history_{std::move(history)} {
  static char word_breaks[] = " \t";
  complete_line = std::move(complete);
  std::setlocale(LC_CTYPE, "");
  rl_readline_name = "steadfast";
  rl_initialize();
  rl_completer_word_break_characters = word_breaks;
  rl_attempted_completion_function = complete_word;
  using_history();
  stifle_history(history_max);
  if (!history_.empty())
    read_history(history_.c_str());
}

line_input::~line_input() {
  complete_line = {};
  clear_history();
}

std::optional<line_input::line> line_input::next(const std::string& prompt) {
  interrupt_guard::clear();
  const auto read = read_line(prompt);
  if (interrupt_guard::interrupted()) {
    std::fputs("^C\n", stdout);
    return line{{}, true};
  }
  if (!read)
    return std::nullopt;
  if (*read != '\0') {
    add_history(read.get());
    if (!history_.empty())
      write_history(history_.c_str());
  }
  return line{read.get(), false};
}

} // namespace steadfast::apps
