#include "apps/completion.hpp"

#include "apps/command_line.hpp"
#include "apps/failure.hpp"
#include "apps/shorthand.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace steadfast::apps {
namespace {

/// What is typed, up to the word that is being completed.
struct typed {
  std::vector<std::string> before;
  std::string begin;
};

typed parse(std::string_view line) {
  auto words = words_of(line);
  typed t;
  const bool is_new_word = line.empty() || line.back() == ' ' || line.back() == '\t';
  if (!is_new_word && !words.empty()) {
    t.begin = words.back();
    words.pop_back();
  }
  t.before = std::move(words);
  return t;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

/// The option that takes the next word as its value.
const CLI::Option* waiting_for_value(const CLI::App& app, const std::string& last) {
  for (const auto* o : options_of(app))
    if (o->get_items_expected_max() > 0 && o->check_name(last))
      return o;
  return nullptr;
}

/// Where a command line has got to.
struct place {
  const CLI::App* app = nullptr;
  const CLI::Option* option = nullptr; ///< whose value comes next
  std::size_t positionals = 0;         ///< words so far that are neither commands nor options
};

place walk(const CLI::App& commands, const std::vector<std::string>& words) {
  place p{&commands};
  for (const auto& w : words) {
    const bool is_value = p.option != nullptr;
    p.option = is_value || !w.starts_with('-') ? nullptr : waiting_for_value(*p.app, w);
    if (is_value || w.starts_with('-'))
      continue;
    const CLI::App* sub = p.positionals == 0 ? find_subcommand(*p.app, w) : nullptr;
    if (sub != nullptr)
      p.app = sub;
    else
      ++p.positionals;
  }
  return p;
}

/// The kind of name that comes next by position; the last positional may take several.
std::string kind_of_positional(const place& p) {
  std::size_t i = 0;
  std::string kind;
  for (const auto* o : options_of(*p.app))
    if (o->get_positional()) {
      kind = o->get_type_name();
      const bool takes_all = o->get_items_expected_max() > 1;
      if (i++ == p.positionals || takes_all)
        return kind;
    }
  return {};
}

/// The kind of name that may follow a word at once, as in `task ID`.
std::string names_after(const CLI::App& commands, const std::string& word) {
  auto meant = in_full({word, "x"});
  meant.pop_back();
  return meant.size() > 1 ? kind_of_positional(walk(commands, meant)) : std::string{};
}

void add_commands(std::vector<std::string>& to, const CLI::App& app) {
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    to.push_back(sub->get_name());
}

void add_options(std::vector<std::string>& to, const CLI::App& app) {
  for (const auto* o : options_of(app))
    for (const auto& name : o->get_lnames())
      to.push_back("--" + name);
}

} // namespace

std::vector<std::string> completions(const CLI::App& commands, std::string_view line, const name_source& names) {
  typed t;
  try {
    t = parse(line);
  } catch (const failure&) {
    return {}; // within quotes
  }
  const bool is_first = t.before.empty();
  auto words = in_full(t.before);
  // `task list` is not meant yet when `task` was typed
  const bool is_second = t.before.size() == 1 && words.size() > 1 && words[0] == t.before[0];
  if (is_second)
    words.resize(1);
  const auto p = walk(commands, words);
  const auto named = is_second ? names_after(commands, t.before[0]) : std::string{};
  std::vector<std::string> found;
  if (p.option != nullptr) {
    found = names(p.option->get_type_name(), t.begin);
  } else if (t.begin.starts_with('-')) {
    add_options(found, *p.app);
  } else {
    if (p.positionals == 0)
      add_commands(found, *p.app);
    if (is_first)
      for (const auto& s : shorthands())
        found.emplace_back(s.word);
    if (const auto kind = named.empty() ? kind_of_positional(p) : named; !kind.empty())
      for (auto& n : names(kind, t.begin))
        found.push_back(std::move(n));
  }
  std::erase_if(found, [&](const std::string& f) { return !f.starts_with(t.begin); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace steadfast::apps
