// The command line, without running what it asks for: any words are a command, a request for help, or are refused with
// a sentence. The input: a word a line. As a line of the console it is parted, spelt out and completed too.

#include "apps/command_line/command_line.hpp"

#include "apps/command_line/completion.hpp"
#include "apps/command_line/shorthand.hpp"
#include "apps/terminal/failure.hpp"
#include "tests/fuzz/support/fuzz.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

using namespace steadfast;
using words = std::vector<std::string>;

namespace {

void try_words(const words& w) {
  std::ostringstream out;
  std::ostringstream err;
  const auto meant = apps::understand(w, out, err);
  if (const auto* todo = std::get_if<apps::command>(&meant)) {
    fuzz::expect(static_cast<bool>(*todo), "there is something to do");
    fuzz::expect(out.str().empty() && err.str().empty(), "a command that is understood says nothing yet", err.str());
    return;
  }
  const auto code = std::get<apps::exit_code>(meant);
  fuzz::expect(code == apps::done || code == apps::wrong_usage, "help, or wrong usage");
  fuzz::expect(!(code == apps::done ? out : err).str().empty(), "help and mistakes are told");
}

/// So that words_of takes it for one word.
std::string in_quotes(const std::string& word) {
  std::string quoted = "\"";
  for (const char c : word)
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + '"';
}

void try_line(std::string_view line) {
  words w;
  try {
    w = apps::words_of(line);
  } catch (const apps::failure& e) {
    return fuzz::expect(e.code() == apps::wrong_usage, "an open quote is wrong usage");
  }
  std::string again;
  for (const auto& x : w)
    again += in_quotes(x) + ' ';
  fuzz::expect(apps::words_of(again) == w, "words are the same in quotes", again);
  fuzz::expect(apps::in_full(w).size() >= w.size(), "a short form is not longer than what it means");
}

void try_completion(std::string_view line) {
  static CLI::App* const commands = [] {
    static apps::command none;
    static CLI::App app;
    apps::add_all(app, none);
    return &app;
  }();
  const auto names = [](const std::string& kind, const std::string& begin) { return words{begin + kind, "other"}; };
  const auto found = apps::completions(*commands, line, names);
  fuzz::expect(std::is_sorted(found.begin(), found.end()), "completions are sorted");
  const auto begin = line.find_last_of(" \t'\"\\") == std::string_view::npos ? line : std::string_view{};
  for (const auto& f : found)
    fuzz::expect(f.starts_with(begin), "a completion goes on with what is typed", f);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  try_words(parts_of(input, '\n'));
  try_line(input);
  try_completion(input);
}
