#include "examples/services/front/http_front.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>

namespace {

struct command_line {
  std::string name;
  std::string data = ".";
  std::string address = "127.0.0.1";
  int port = 0;
  std::size_t threads = 128;
  std::uint64_t seed = 1;
  services::fault_switches faults;
  std::map<std::string, std::string> flags; ///< switches that are on or off, as given
};

std::string description() {
  std::string text = "Runs one remote service of the example workflows, with a database and an\n"
                     "effect log of its own (DATA/NAME.db, DATA/NAME.effects.jsonl).\n\nServices:\n";
  for (const auto& b : services::businesses())
    text += "  " + std::string{b.name} + ": POST /" + std::string{b.operation} + " " + std::string{b.summary} + "\n";
  return text
         + "\nEvery service also has POST /undo, GET or POST /probe, GET /health, GET /stats, GET or POST /faults.\n"
           "Prints `listening on ADDRESS:PORT` when it is ready. SIGTERM and Ctrl-C end it.";
}

std::string footer() {
  return "Every switch can be changed while the service runs: POST /faults {\"transient\": 0.2, \"dedup\": false}.\n"
         "A body can force what happens to its own request: {\"fault\": \"transient:2\"} (for the first two requests "
         "of\n"
         "the key), or to the undo and the probe of its effect: {\"undo_fault\": \"refuse\"}, {\"probe_fault\": "
         "\"late\"}.\n"
         "Exit codes: 0 ended by a signal, 1 could not start, 2 wrong command line.";
}

std::string option_name(std::string_view name) {
  auto option = "--" + std::string{name};
  for (auto& c : option)
    if (c == '_')
      c = '-';
  return option;
}

void add_switches(CLI::App& app, command_line& c) {
  for (const auto& entry : services::switch_entries()) {
    const auto option = option_name(entry.name);
    const std::string meaning{entry.meaning};
    if (entry.number) {
      app.add_option(option, c.faults.*entry.number, meaning)->check(CLI::Range(0.0, entry.most))->group("Faults");
    } else {
      auto& flag = c.flags[std::string{entry.name}] = c.faults.*entry.flag ? "on" : "off";
      app.add_option(option, flag, std::string{meaning}.append(" [").append(flag).append("]"))
        ->check(CLI::IsMember({"on", "off"}))
        ->group("Faults");
    }
  }
}

void add_options(CLI::App& app, command_line& c) {
  std::vector<std::string> names;
  for (const auto& b : services::businesses())
    names.emplace_back(b.name);
  app.add_option("service", c.name, "which one")->required()->check(CLI::IsMember(names));
  app.add_option("--data", c.data, "folder of its database and effect log, made when missing [.]");
  app.add_option("--address", c.address, "where it listens [127.0.0.1]");
  app.add_option("--port", c.port, "0: any free one [0]")->check(CLI::Range(0, 65535));
  app.add_option("--threads", c.threads, "connections served at a time [128]")->check(CLI::Range(1, 4096));
  app.add_option("--seed", c.seed, "of the faults that are drawn [1]");
  add_switches(app, c);
}

services::service::options service_options(const command_line& c) {
  std::filesystem::create_directories(c.data);
  const auto base = (std::filesystem::path{c.data} / c.name).string();
  return {services::find_business(c.name), base + ".db", base + ".effects.jsonl",
          base + ".tokens.jsonl",          c.faults,     c.seed};
}

/// Blocked before any thread starts, so that only wait_for_end() gets them.
sigset_t block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int run(const command_line& c) {
  const auto signals = block_end_signals();
  services::service service{service_options(c)};
  services::http_front front{service, c.threads};
  const int port = front.start(c.address, c.port);
  if (port == 0) {
    std::cerr << "example_service: " << c.address << ":" << c.port << " cannot be bound\n";
    return 1;
  }
  std::cout << "listening on " << c.address << ":" << port << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  front.stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  command_line c;
  CLI::App app{description(), "example_service"};
  app.footer(footer());
  add_options(app, c);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  nlohmann::json flags = nlohmann::json::object();
  for (const auto& [name, value] : c.flags)
    flags[name] = value == "on";
  if (const auto wrong = services::change(c.faults, flags); !wrong.empty()) {
    std::cerr << "example_service: " << wrong << '\n';
    return 2;
  }
  try {
    return run(c);
  } catch (const std::exception& e) {
    std::cerr << "example_service: " << e.what() << '\n';
    return 1;
  }
}
