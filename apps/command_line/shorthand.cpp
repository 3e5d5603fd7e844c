#include "apps/command_line/shorthand.hpp"

#include "apps/command_line/command_line.hpp"
#include "apps/terminal/failure.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace steadfast::apps {
namespace {

/// Commands whose first subcommand is meant when an id or a name follows, or nothing.
struct group {
  std::string_view word;
  std::string_view alone;
  std::string_view with_name;
};

constexpr group groups[] = {
  {"task", "list", "show"},  {"workflow", "list", "show"}, {"node", "show", "show"},   {"lease", "list", "list"},
  {"actor", "list", "show"}, {"agent", "list", "list"},    {"alerts", "list", "list"}, {"incidents", "list", "show"},
  {"late", "list", "list"},  {"bulk", "list", "show"},
};

bool is_subcommand(std::string_view of, const std::string& word) {
  command none;
  CLI::App app;
  add_all(app, none);
  return find_subcommand(*find_subcommand(app, std::string{of}), word) != nullptr;
}

void complete_group(std::vector<std::string>& words) {
  const auto* const found =
    std::find_if(std::begin(groups), std::end(groups), [&](const group& g) { return g.word == words[0]; });
  if (found == std::end(groups))
    return;
  if (words.size() == 1 || (words[1].starts_with('-') && words[1] != "--help" && words[1] != "-h"))
    words.insert(words.begin() + 1, std::string{found->alone});
  else if (!words[1].starts_with('-') && !is_subcommand(found->word, words[1]))
    words.insert(words.begin() + 1, std::string{found->with_name});
}

/// Which node is meant may be said before the command, too: it is moved behind.
void move_node_choice(std::vector<std::string>& words) {
  const auto takes_value = [](const std::string& w) { return w == "--socket" || w == "--config" || w == "-c"; };
  auto command = words.begin();
  while (command != words.end()) {
    if (takes_value(*command) && command + 1 != words.end())
      command += 2;
    else if (command->starts_with("--socket=") || command->starts_with("--config="))
      ++command;
    else
      break;
  }
  std::rotate(words.begin(), command, std::find(command, words.end(), "--"));
}

} // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) {
      words.emplace_back();
      in_word = true;
    }
    if (c == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else if (quote == '\0' && (c == '\'' || c == '"'))
      quote = c;
    else if (quote != '\0' && c == quote)
      quote = '\0';
    else
      words.back() += c;
  }
  if (quote != '\0')
    throw failure{wrong_usage, std::string{"a quote is left open: "} + quote};
  return words;
}

const std::vector<shorthand>& shorthands() {
  static const std::vector<shorthand> all{
    {"ack", "alerts ack"},     {"actors", "actor list"},       {"agents", "agent list"},    {"alert", "alerts"},
    {"cancel", "task cancel"}, {"drain", "node drain"},        {"edit", "task edit"},       {"explain", "task explain"},
    {"follow", "task follow"}, {"in-place", "task in-place"},  {"incident", "incidents"},   {"inspect", "actor show"},
    {"leases", "lease list"},  {"nodes", "node list"},         {"resume", "task resume"},   {"retry", "task retry"},
    {"skip", "task skip"},     {"stuck", "task stuck"},        {"suspend", "task suspend"}, {"tasks", "task list"},
    {"undo", "task undo"},     {"workflows", "workflow list"},
  };
  return all;
}

std::vector<std::string> in_full(std::vector<std::string> words) {
  move_node_choice(words);
  if (words.empty())
    return words;
  for (const auto& s : shorthands())
    if (s.word == words[0]) {
      const auto meant = words_of(s.meaning);
      words.erase(words.begin());
      words.insert(words.begin(), meant.begin(), meant.end());
      break;
    }
  complete_group(words);
  return words;
}

} // namespace steadfast::apps
