#include "runtime/node/serve.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/commands/serve_check.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/configuration/config_file.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/tls/credentials.hpp"
#include "steadfast/node_error.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

int run_serve(const std::string& config, bool check_only) {
  const auto options = load_config(config);
  if (const auto wrong = problems(options); !wrong.empty())
    throw failure{wrong_config, config + ": " + wrong.front()};
  if (const auto wrong = runtime::credential_problems(options.cluster, options.name, options.roles); !wrong.empty())
    throw failure{wrong_config, config + ": " + wrong.front()};
  if (check_only) {
    const auto found = look_closer(options);
    for (const auto& w : found.warnings)
      std::cerr << "steadfast: warning: " << printable(w) << '\n';
    for (const auto& p : found.problems)
      std::cerr << "steadfast: " << printable(p) << '\n';
    if (!found.problems.empty())
      return wrong_config;
    std::cout << config << " is valid: " << runtime::counted(options.agents.size(), "agent") << ", "
              << runtime::counted(options.workflows.size(), "workflow")
              << (options.schedules.empty() ? "" : ", " + runtime::counted(options.schedules.size(), "schedule"))
              << '\n';
    return done;
  }
  try {
    start_log(options.log);
    serve(options, [] {});
  } catch (const node_error& e) {
    throw failure{cannot_start, e.what()};
  }
  return done;
}

} // namespace

void add_serve(CLI::App& to, command& chosen) {
  struct given {
    std::string config;
    bool check_only = false;
  };
  auto g = std::make_shared<given>();
  auto* sub = to.add_subcommand("serve", "Run a node until SIGTERM or Ctrl-C");
  sub->add_option("-c,--config", g->config, "Configuration file; config/steadfast.toml lists every option")
    ->type_name("FILE")
    ->envname("STEADFAST_CONFIG")
    ->required();
  sub->add_flag(
    "--check", g->check_only,
    "Only check the configuration, the workflows it names, that there are agents for them, and that the stored "
    "workflows are the same");
  sub->footer(
    "A signal lets running attempts end, gives the rest back to the store and exits with 0; a second one ends the\n"
    "process at once. Nothing is lost either way. On SIGHUP a node with certificates reloads them and keeps "
    "running.\n\n"
    "Example: steadfast serve -c node.toml");
  sub->callback([g, &chosen] { chosen = [g] { return run_serve(g->config, g->check_only); }; });
}

} // namespace steadfast::apps
