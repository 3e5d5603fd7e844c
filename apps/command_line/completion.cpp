#include "apps/command_line/completion.hpp"

#include "apps/command_line/command_line.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/shorthand.hpp"
#include "apps/terminal/failure.hpp"
#include "workflow/on_call/finding.hpp"

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

/// Without the text of CLI11's checks.
std::string kind_of(const CLI::Option& o) {
  const auto kind = o.get_type_name();
  return kind.substr(0, kind.find(':'));
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
      kind = kind_of(*o);
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

bool is_hidden(const CLI::App& sub) {
  return sub.get_name().starts_with("__");
}

/// The first sentence.
std::string first_of(const std::string& help) {
  return help.substr(0, help.find_first_of(".:;"));
}

void add_commands(std::vector<candidate>& to, const CLI::App& app) {
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!is_hidden(*sub))
      to.push_back({sub->get_name(), sub->get_description()});
}

void add_options(std::vector<candidate>& to, const CLI::App& app) {
  for (const auto* o : options_of(app))
    for (const auto& name : o->get_lnames())
      to.push_back({"--" + name, first_of(o->get_description())});
}

template <std::size_t Size>
std::vector<std::string> texts_of(const std::string_view (&names)[Size]) {
  std::vector<std::string> texts;
  for (const auto name : names)
    if (!name.empty())
      texts.emplace_back(name);
  return texts;
}

/// Of a kind of value.
std::vector<std::string> values_of(const std::string& kind, const std::string& begin, const name_source& names) {
  if (kind == "GROUPING")
    return texts_of(workflow::task_grouping_names);
  if (kind == "ORDER")
    return texts_of(workflow::task_order_names);
  if (kind == "SHELL")
    return {"bash", "fish", "zsh"};
  if (kind == "FILTER")
    return complete_conditions(begin, task_filter_keys(), names);
  if (kind == "ALERTS")
    return complete_conditions(begin, alert_filter_keys(), names);
  return names(kind, begin);
}

bool is_kind_of_file(const std::string& kind) {
  return kind == "FILE" || kind == "PATH" || kind == "DIR" || kind == "FOLDER" || kind == "COPY";
}

void add_values(completion& to, const std::string& kind, const std::string& begin, const name_source& names) {
  to.is_file = to.is_file || is_kind_of_file(kind);
  if (!kind.empty())
    for (auto& text : values_of(kind, begin, names))
      to.all.push_back({std::move(text), {}});
}

/// The kind of value of a condition.
std::vector<std::string> values_of_key(const std::string& key, const std::string& begin, const name_source& names) {
  if (key == "state")
    return state_names();
  if (key == "workflow")
    return names("WORKFLOW", begin);
  if (key == "agent")
    return names("AGENT", begin);
  if (key == "step")
    return names("STEP", begin);
  if (key == "task")
    return names("ID", begin);
  return key == "incident" ? names("INCIDENT", begin) : std::vector<std::string>{};
}

} // namespace

std::vector<std::string> complete_conditions(const std::string& begin, const std::vector<std::string>& keys,
                                             const name_source& names) {
  const auto comma = begin.rfind(',');
  auto before = comma == std::string::npos ? std::string{} : begin.substr(0, comma + 1);
  const auto part = begin.substr(before.size());
  const auto equals = part.find('=');
  std::vector<std::string> found;
  if (equals == std::string::npos) {
    for (const auto& key : keys)
      found.push_back(before + key + "=");
    if (&keys == &task_filter_keys())
      for (const auto& place : names("INDEX", part))
        found.push_back(before + place + "=");
    return found;
  }
  const auto bar = part.find('|', equals) == std::string::npos ? equals : part.rfind('|'); // of several states the last
  before += part.substr(0, bar + 1);
  for (const auto& value : values_of_key(part.substr(0, equals), part.substr(bar + 1), names))
    found.push_back(before + value);
  return found;
}

completion complete(const CLI::App& commands, std::string_view line, const name_source& names) {
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
  completion found;
  if (p.option != nullptr) {
    add_values(found, kind_of(*p.option), t.begin, names);
  } else if (t.begin.starts_with('-')) {
    add_options(found.all, *p.app);
  } else {
    if (p.positionals == 0)
      add_commands(found.all, *p.app);
    if (is_first)
      for (const auto& s : shorthands())
        found.all.push_back({std::string{s.word}, "short for " + std::string{s.meaning}});
    add_values(found, named.empty() ? kind_of_positional(p) : named, t.begin, names);
  }
  std::erase_if(found.all, [&](const candidate& c) { return !c.text.starts_with(t.begin); });
  const auto is_before = [](const candidate& a, const candidate& b) { return a.text < b.text; };
  const auto is_same = [](const candidate& a, const candidate& b) { return a.text == b.text; };
  std::stable_sort(found.all.begin(), found.all.end(), is_before);
  found.all.erase(std::unique(found.all.begin(), found.all.end(), is_same), found.all.end());
  return found;
}

std::vector<std::string> completions(const CLI::App& commands, std::string_view line, const name_source& names) {
  std::vector<std::string> texts;
  for (auto& c : complete(commands, line, names).all)
    texts.push_back(std::move(c.text));
  return texts;
}

} // namespace steadfast::apps
