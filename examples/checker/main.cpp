#include "examples/checker/reading/json_lines.hpp"
#include "examples/checker/reading/readers.hpp"
#include "examples/checker/report.hpp"
#include "examples/checker/rules/rules.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr int exit_clean = 0;
constexpr int exit_violations = 1;
constexpr int exit_unusable = 2;

struct command_line {
  std::vector<std::string> effects;
  std::vector<std::string> clients;
  std::vector<std::string> alerts;
  std::vector<std::string> wakes;
  std::string tasks;
  checker::settings settings;
  bool json = false;
};

void add_options(CLI::App& app, command_line& c) {
  app.add_option("--effects", c.effects, "effect logs of the services")->required()->type_name("FILE");
  app.add_option("--tasks", c.tasks, "dump of the store: one task a line, taken after the last effect")
    ->required()
    ->type_name("FILE");
  app.add_option("--clients", c.clients, "logs of the clients: {\"op\": invoke|ok|fail|info, \"task\", \"outcome\"}")
    ->type_name("FILE");
  app.add_option("--alerts", c.alerts, "alerts: one a line, with its task")->type_name("FILE");
  app.add_option("--wakes", c.wakes, "logs of who woke waiting steps: events, ends by token, answers")
    ->type_name("FILE");
  app.add_option("--unlogged", c.settings.unlogged, "agents whose services write no effect log")->type_name("AGENT");
  app.add_flag("--allow-open", c.settings.allow_open, "unfinished tasks are no violation");
  app.add_flag("--json", c.json, "print JSON");
  app.footer("Exit codes: 0 clean, 1 violations, 2 the input cannot be used.");
}

checker::history read_all(const command_line& c) {
  checker::history h;
  for (const auto& path : c.effects)
    read_effects(h, path);
  for (const auto& path : c.clients)
    read_clients(h, path);
  for (const auto& path : c.alerts)
    read_alerts(h, path);
  for (const auto& path : c.wakes)
    read_wakes(h, path);
  read_tasks(h, c.tasks);
  return h;
}

} // namespace

int main(int argc, char** argv) {
  command_line c;
  CLI::App app{"Compares the effect logs of remote services with the story of the store, and says which of the\n"
               "rules E1 to E24 were broken. It shares no code with what it checks.",
               "effect_checker"};
  add_options(app, c);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? exit_clean : exit_unusable;
  }
  try {
    const auto h = read_all(c);
    const auto found = checker::check(h, c.settings);
    std::cout << (c.json ? json_text(found, h) : table(found, h));
    return checker::violations_of(found) == 0 ? exit_clean : exit_violations;
  } catch (const std::exception& e) {
    std::cerr << "effect_checker: " << e.what() << '\n';
    return exit_unusable;
  }
}
