#include "apps/commands.hpp"
#include "apps/failure.hpp"
#include "runtime/client.hpp"
#include "runtime/config_error.hpp"
#include "store/state_store.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <exception>
#include <iostream>

namespace {

using namespace steadfast;
using namespace steadfast::apps;

exit_code code_of(client_error::kind why) {
  switch (why) {
    case client_error::kind::unreachable: return no_node;
    case client_error::kind::busy:
    case client_error::kind::timed_out: return try_again;
    case client_error::kind::not_found: return not_found;
    case client_error::kind::refused: break;
  }
  return refused;
}

int complain(int code, const std::string& text) {
  std::cerr << "steadfast: " << text << '\n';
  return code;
}

int complain_about_config(const runtime::config_error& e) {
  for (const auto& p : e.problems())
    complain(wrong_config, p);
  return wrong_config;
}

/// What went wrong ends here, as a line that names cause and cure, and an exit code.
int run(const command& chosen) {
  try {
    const int code = chosen();
    std::cout.flush();
    return std::cout ? code : complain(our_fault, "what was to be printed could not be written");
  } catch (const failure& e) {
    return complain(e.code(), e.what());
  } catch (const client_error& e) {
    return complain(code_of(e.why()), e.what());
  } catch (const runtime::config_error& e) {
    return complain_about_config(e);
  } catch (const store::store_error& e) {
    return complain(cannot_start, e.what());
  } catch (const std::exception& e) {
    return complain(our_fault, std::string{"unexpected: "} + e.what());
  }
}

void add_all(CLI::App& app, command& chosen) {
  app.require_subcommand(1);
  app.set_version_flag("--version", "steadfast " STEADFAST_VERSION);
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.footer(
    "A node is started with `steadfast serve -c node.toml`; the other commands talk to it over its control socket.\n"
    "Exit codes: docs/cli.md.");
  add_serve(app, chosen);
  add_submit(app, chosen);
  add_task(app, chosen);
  add_alerts(app, chosen);
  add_workflow(app, chosen);
  add_lease(app, chosen);
  add_node(app, chosen);
  add_store(app, chosen);
  add_cluster(app, chosen);
}

} // namespace

int main(int argc, char** argv) {
  // A reader that went away (`| head`) is noticed by the write that fails.
  std::signal(SIGPIPE, SIG_IGN);
  command chosen;
  CLI::App app{"Multi-step operations against remote services that happen as a whole or are undone as a whole.",
               "steadfast"};
  add_all(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? done : wrong_usage;
  }
  return run(chosen);
}
