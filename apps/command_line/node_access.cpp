#include "apps/command_line/node_access.hpp"

#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/configuration/config_file.hpp"
#include "runtime/text/json.hpp"

#include <CLI/CLI.hpp>

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace steadfast::apps {
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

} // namespace

void add_node_choice(CLI::App& to, node_choice& choice, bool prints_data) {
  to.add_option("--socket", choice.socket,
                "Control socket of the node [$STEADFAST_SOCKET, or as the configuration says]")
    ->type_name("PATH")
    ->group("Node");
  to.add_option("-c,--config", choice.config, "Configuration of the node, for its socket and store [$STEADFAST_CONFIG]")
    ->type_name("FILE")
    ->group("Node");
  if (prints_data)
    to.add_flag("--json", choice.json, "Print JSON, one object a line; docs/cli.md lists the fields");
}

node_places places_of(const node_choice& choice) {
  const auto config = choice.config.empty() ? from_environment("STEADFAST_CONFIG") : choice.config;
  const node_options defaults;
  node_places places{defaults.socket, defaults.store.path};
  if (!config.empty()) {
    const auto found = places_in_config(config);
    places = {found.socket, found.store, found.is_on_server ? std::filesystem::path{config} : "", found.partitions};
  }
  if (const auto store = from_environment("STEADFAST_STORE"); choice.config.empty() && !store.empty())
    places = {places.socket,
              store,
              {},
              absolute(places.store) == std::filesystem::absolute(store) ? places.partitions : std::nullopt};
  if (!choice.socket.empty())
    places.socket = choice.socket;
  else if (choice.config.empty() && !from_environment("STEADFAST_SOCKET").empty())
    places.socket = from_environment("STEADFAST_SOCKET");
  return places;
}

client connect(const node_choice& choice) {
  return client{places_of(choice).socket.string(), client::numbers::exact};
}

std::string store_trouble(const nlohmann::json& nodes) {
  const auto trouble = nodes.value("store_trouble", nlohmann::json{});
  return trouble.is_string() ? trouble.get<std::string>() : std::string{};
}

void print_json(const nlohmann::json& j) {
  std::cout << json_line(j) << '\n';
}

int tell_silent_nodes(const nlohmann::json& answer) {
  for (const auto& n : answer.at("silent_nodes")) {
    const auto name = n.value("node", std::string{});
    std::cerr << "steadfast: " << (name.empty() ? "" : "node " + printable(name) + ": ")
              << printable(n.value("why", std::string{})) << '\n';
  }
  return answer.at("silent_nodes").empty() ? done : refused;
}

std::string who_acts() {
  const auto* entry = getpwuid(geteuid());
  return entry == nullptr ? "uid " + std::to_string(geteuid()) : entry->pw_name;
}

} // namespace steadfast::apps
