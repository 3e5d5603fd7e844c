#pragma once

#include "steadfast/client.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace steadfast::apps {

inline constexpr std::size_t page_size = 500; ///< entries of one request

/// The node of a command, and how the command prints.
struct node_choice {
  std::string socket; ///< --socket
  std::string config; ///< -c
  bool json = false;  ///< --json
};

/// Adds --socket and -c; a command that prints data adds --json too.
void add_node_choice(CLI::App& to, node_choice& choice, bool prints_data = true);

struct node_places {
  std::filesystem::path socket;
  std::filesystem::path store;
  std::filesystem::path server_config{};    ///< that says on which server the store is; empty: it is in files
  std::optional<std::int64_t> partitions{}; ///< of that store, when it is made; as the configuration has it
};

/// From the options, then STEADFAST_SOCKET and STEADFAST_STORE, then STEADFAST_CONFIG, then the defaults of a node
/// started in this folder.
node_places places_of(const node_choice& choice);

/// Throws client_error when no node answers.
client connect(const node_choice& choice);

/// Why the store cannot be asked, from an answer to `node.list`; empty: it can.
std::string store_trouble(const nlohmann::json& nodes);

/// Prints a line of JSON.
void print_json(const nlohmann::json& j);
/// Says which nodes gave no answer, and why. Returns the exit code.
int tell_silent_nodes(const nlohmann::json& answer);

/// The name of a person in the story of a task: the login name.
std::string who_acts();

} // namespace steadfast::apps
