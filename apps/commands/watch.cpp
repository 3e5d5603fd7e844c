// Runs another command again and again, as watch(1) does.

#include "apps/command_line/command_line.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/command_line/shorthand.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <thread>

namespace steadfast::apps {
namespace {

constexpr workflow::span interrupt_look_every{50};
constexpr workflow::span interval_least{100};

struct watch_arguments {
  std::string interval = "2s";
  std::size_t times = 0;
  std::vector<std::string> command;
};

void print_head(const watch_arguments& g) {
  std::string head = local_text(wall_clock(), false) + "  every " + g.interval + ":";
  for (const auto& w : g.command)
    head += " " + w;
  const auto to = standard_output();
  if (to.is_terminal)
    std::cout << "\x1b[H\x1b[2J"; // to the upper left corner of an empty screen
  std::cout << painted(cut(printable(head), to.width), colour::faint, to) << '\n';
}

/// False: Ctrl-C was pressed.
bool wait(workflow::span interval) {
  const auto until = std::chrono::steady_clock::now() + interval;
  while (!interrupt_guard::interrupted() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(interrupt_look_every);
  return !interrupt_guard::interrupted();
}

int watch(const watch_arguments& g) {
  const auto interval = runtime::parse_span(g.interval);
  if (!interval || *interval < interval_least)
    throw failure{wrong_usage, "-n: `" + g.interval + "` is not a duration of at least 100 ms: write "
                                 + std::string{runtime::span_rule}};
  const auto words = in_full(g.command);
  if (!words.empty() && (words[0] == "watch" || words[0] == "console" || words[0] == "serve"))
    throw failure{wrong_usage, "`" + words[0] + "` cannot be watched"};
  const interrupt_guard guard;
  const without_pager shown_at_once;
  int code = done;
  for (std::size_t i = 1;; ++i) {
    print_head(g);
    code = run_command_line(words);
    std::cout.flush();
    if (code == wrong_usage || i == g.times || !wait(*interval))
      return code;
  }
}

} // namespace

void add_watch(CLI::App& to, command& chosen) {
  auto g = std::make_shared<watch_arguments>();
  auto* sub = to.add_subcommand("watch", "Repeat another command until Ctrl-C");
  sub->add_option("-n,--interval", g->interval, "Time between runs [2s]")->type_name("DURATION");
  sub->add_option("--times", g->times, "Stop after N runs [never]");
  sub->prefix_command();
  sub->footer("Its own options come before the command.\n\nExample: steadfast watch -n 1s node show");
  sub->callback([g, sub, &chosen] {
    g->command = sub->remaining();
    if (g->command.empty())
      throw CLI::RequiredError{"a command to watch"};
    chosen = [g] { return watch(*g); };
  });
}

} // namespace steadfast::apps
