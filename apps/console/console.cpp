// The commands of the command line in one session: attached to one node, with line editing, history and completion.

#include "api/names.hpp"
#include "apps/command_line/command_line.hpp"
#include "apps/command_line/completion.hpp"
#include "apps/command_line/known_names.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/shorthand.hpp"
#include "apps/console/store_view.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/line_input.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct console_arguments {
  node_choice node;
  std::string store;
  std::vector<std::string> lines;
};

constexpr const char* help_text =
  R"(tasks  tasks, task ID, explain ID, follow ID, stuck, in-place, alerts, late, workflows, workflow NAME, submit
nodes  nodes, node, actors, inspect ACTOR, leases
act    retry, skip, edit, undo, cancel, suspend, resume, ack, drain NODE, circuit open|close AGENT, lease release NAME
bulk   an act with --where is a bulk act of the node: bulk, bulk NUMBER, bulk stop NUMBER, bulk follow NUMBER
store  store stat, store check, store copy DIR, store export ID FILE, store import FILE
again  top, watch COMMAND runs it every 2 s until Ctrl-C

help COMMAND tells its options with an example. Tab completes commands, options, ids and names. Ctrl-D or quit leaves.
Every command is one of `steadfast` too: `steadfast task list`.
)";

// ---- the node it is attached to ----

/// Every command of the session means this node, as if the shell said so.
void attach(const node_choice& choice) {
  const auto places = places_of(choice);
  if (!choice.config.empty())
    setenv("STEADFAST_CONFIG", choice.config.c_str(), 1);
  setenv("STEADFAST_SOCKET", places.socket.c_str(), 1);
}

std::string greet() {
  client node = connect({});
  auto name = node.call(api::node_describe, json::object()).at("name").get<std::string>();
  std::size_t alive = 0;
  const auto answer = node.call(api::node_list, json::object());
  const auto& nodes = answer.at("nodes");
  for (const auto& n : nodes)
    alive += n.value("alive", false) ? 1U : 0U;
  std::cout << "node " << printable(name) << ", " << alive << " of " << runtime::counted(nodes.size(), "node")
            << " alive; `help` lists the commands, Ctrl-D leaves\n";
  if (const auto trouble = store_trouble(answer); !trouble.empty())
    std::cout << printable(trouble) << '\n';
  return name;
}

std::string greet(const std::string& store) {
  std::cout << "store " << printable(store)
            << ", as it was left: nothing can be changed; `help` lists the commands, Ctrl-D leaves\n";
  return "read-only";
}

// ---- lines ----

bool prints_json(const std::vector<std::string>& words) {
  command none;
  CLI::App app;
  add_all(app, none);
  const CLI::App* at = &app;
  for (const auto& w : words)
    if (const auto* sub = find_subcommand(*at, w))
      at = sub;
    else
      break;
  return at->get_option_no_throw("--json") != nullptr;
}

int run_line(const std::string& line, bool as_json) {
  auto words = in_full(words_of(line));
  if (words.empty())
    return done;
  if (words[0] == "help" && words.size() == 1) {
    std::cout << help_text;
    return done;
  }
  if (words[0] == "help") {
    words.erase(words.begin());
    words = in_full(std::move(words));
    words.emplace_back("--help");
  } else if (words[0] == "console" || words[0] == "serve") {
    throw failure{wrong_usage, "`" + words[0] + "` is for the shell, not for the console"};
  } else if (as_json && prints_json(words)) {
    words.emplace_back("--json");
  }
  return run_command_line(words);
}

int run_or_complain(const std::string& line, bool as_json) {
  try {
    return run_line(line, as_json);
  } catch (const failure& e) {
    std::cerr << "steadfast: " << e.what() << '\n';
    return e.code();
  }
}

bool leaves(const std::string& line) {
  return line == "quit" || line == "exit";
}

// ---- sessions ----

/// $XDG_STATE_HOME/steadfast/history; empty when there is no home.
std::filesystem::path history_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if ((state == nullptr || *state == '\0') && (home == nullptr || *home == '\0'))
    return {};
  const std::filesystem::path folder =
    (state != nullptr && *state != '\0' ? std::filesystem::path{state} : std::filesystem::path{home} / ".local/state")
    / "steadfast";
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored); // lines may hold payloads
  return folder / "history";
}

int talk(const console_arguments& g) {
  const auto name = g.store.empty() ? greet() : greet(g.store);
  command none;
  CLI::App commands;
  add_all(commands, none);
  const interrupt_guard guard;
  line_input input{history_file(), [&](const std::string& line) { return completions(commands, line, known_names); }};
  while (const auto line = input.next(name + "> ")) {
    if (leaves(line->text))
      return done;
    if (!line->interrupted)
      run_or_complain(line->text, g.node.json);
    std::cout.flush();
    std::cin.clear(); // Ctrl-C or Ctrl-D at a question of a command
    std::clearerr(stdin);
  }
  std::cout << '\n';
  return done;
}

/// Ends with the first line that fails.
int run_lines(const std::vector<std::string>& lines, bool as_json) {
  for (const auto& line : lines)
    if (const int code = run_or_complain(line, as_json); code != done)
      return code;
  return done;
}

int run_input(bool as_json) {
  for (std::string line; std::getline(std::cin, line) && !leaves(line);)
    if (const int code = run_or_complain(line, as_json); code != done)
      return code;
  return done;
}

std::unique_ptr<store_view> view_of(const std::string& store) {
  try {
    return std::make_unique<store_view>(store);
  } catch (const node_error& e) {
    throw failure{cannot_start, e.what()};
  }
}

/// The view of the store, if one was named.
std::unique_ptr<store_view> attach(const console_arguments& g) {
  if (g.store.empty()) {
    attach(g.node);
    return nullptr;
  }
  auto view = view_of(g.store);
  setenv("STEADFAST_STORE", std::filesystem::absolute(g.store).c_str(), 1);
  node_choice shown;
  shown.socket = view->socket();
  attach(shown);
  return view;
}

int run_console(const console_arguments& g) {
  const auto view = attach(g);
  if (!g.lines.empty())
    return run_lines(g.lines, g.node.json);
  return isatty(STDIN_FILENO) == 1 ? talk(g) : run_input(g.node.json);
}

} // namespace

void add_console(CLI::App& to, command& chosen) {
  auto g = std::make_shared<console_arguments>();
  auto* sub = to.add_subcommand("console", "A prompt for looking into a running cluster and acting on it");
  sub->add_option("-e,--execute", g->lines, "Run this line and exit; may be given several times")
    ->type_name("LINE")
    ->allow_extra_args(false);
  sub
    ->add_option("--store", g->store,
                 "Look at the files of a store whose node is down, or of a copy; nothing is changed")
    ->type_name("PATH");
  add_node_choice(*sub, g->node);
  sub->footer("Without -e, lines are read from standard input; if that is not a terminal, it exits at the first line "
              "that fails.\n\n"
              "Example: steadfast console -e 'tasks --where state=error'\n"
              "         steadfast console --store /backup/2026-11-21");
  sub->callback([g, &chosen] { chosen = [g] { return run_console(*g); }; });
}

} // namespace steadfast::apps
