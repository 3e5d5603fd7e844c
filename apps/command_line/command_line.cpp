#include "apps/command_line/command_line.hpp"

#include "apps/command_line/shorthand.hpp"
#include "apps/command_line/version.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/toml/config_error.hpp"
#include "steadfast/client.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/text/nearest.hpp"

#include <CLI/CLI.hpp>

#include <poll.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace steadfast::apps {
namespace {

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
  std::cerr << "steadfast: " << printable(text) << '\n'; // it may quote what others wrote
  return code;
}

int complain_about_config(const runtime::config_error& e) {
  for (const auto& p : e.problems())
    complain(wrong_config, p);
  return wrong_config;
}

/// As with `| head`: the reader has seen enough, so this is not an error.
bool is_reader_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// Errors end here, as a line and an exit code.
int run(const command& chosen) {
  try {
    const int code = chosen();
    std::cout.flush();
    if (!std::cout && is_reader_gone())
      return reader_gone;
    return std::cout ? code : complain(our_fault, "the output could not be written");
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

} // namespace

void add_all(CLI::App& app, command& chosen) {
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.footer(
    "A node is started with `steadfast serve -c node.toml`; the other commands talk to it over its control socket.\n"
    "Exit codes: docs/cli.md.");
  add_serve(app, chosen);
  add_console(app, chosen);
  add_submit(app, chosen);
  add_task(app, chosen);
  add_bulk(app, chosen);
  add_status(app, chosen);
  add_incidents(app, chosen);
  add_alerts(app, chosen);
  add_late(app, chosen);
  add_workflow(app, chosen);
  add_lease(app, chosen);
  add_actor(app, chosen);
  add_agent(app, chosen);
  add_circuit(app, chosen);
  add_webhook(app, chosen);
  add_step(app, chosen);
  add_event(app, chosen);
  add_approvals(app, chosen);
  add_schedule(app, chosen);
  add_node(app, chosen);
  add_store(app, chosen);
  add_simulate(app, chosen);
  add_bench(app, chosen);
  add_cluster(app, chosen);
  add_token(app, chosen);
  add_top(app, chosen);
  add_watch(app, chosen);
  add_completion(app, chosen);
  add_manual(app, chosen);
}

const CLI::App* find_subcommand(const CLI::App& of, const std::string& name) {
  const auto found = of.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

namespace {

/// What may follow; of the first word the shorthands, too.
std::vector<std::string> names_below(const CLI::App& at, bool is_first) {
  std::vector<std::string> names;
  for (const auto* sub : at.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_name().starts_with('_')) // for scripts
      names.push_back(sub->get_name());
  if (is_first)
    for (const auto& s : shorthands())
      names.emplace_back(s.word);
  return names;
}

/// The first word that is no command where one must stand; empty: there is none.
std::string why_no_command(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  std::string path;
  for (const auto& word : words) {
    if (word.starts_with('-') || at->get_require_subcommand_min() == 0)
      return {};
    const auto* sub = find_subcommand(*at, word);
    if (sub == nullptr) {
      const auto known = names_below(*at, path.empty());
      const auto meant = workflow::nearest(word, known);
      return "there is no command `" + path + word + "`"
             + (meant ? "; did you mean `" + path + *meant + "`?" : "; `steadfast " + path + "--help` lists them");
    }
    path += word + " ";
    at = sub;
  }
  return {};
}

} // namespace

const char* program_description() {
  return STEADFAST_DESCRIPTION;
}

std::variant<command, exit_code> understand(const std::vector<std::string>& words, std::ostream& out,
                                            std::ostream& err) {
  command chosen;
  CLI::App app{program_description(), "steadfast"};
  add_all(app, chosen);
  if (const auto wrong = why_no_command(app, words); !wrong.empty()) {
    err << "steadfast: " << printable(wrong) << '\n';
    return wrong_usage;
  }
  try {
    app.parse(std::vector<std::string>{words.rbegin(), words.rend()});
  } catch (const CLI::ParseError& e) {
    std::ostringstream said; // it quotes the words as they were typed
    const bool is_help = app.exit(e, out, said) == 0;
    std::istringstream lines{said.str()};
    for (std::string line; std::getline(lines, line);)
      err << printable(line) << '\n';
    return is_help ? done : wrong_usage;
  }
  return chosen;
}

int run_command_line(const std::vector<std::string>& words) {
  const auto meant = understand(words, std::cout, std::cerr);
  const auto* todo = std::get_if<command>(&meant);
  return todo ? run(*todo) : std::get<exit_code>(meant);
}

} // namespace steadfast::apps
