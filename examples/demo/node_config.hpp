#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace demo {

class services;

/// Which node of a cluster it is.
struct node_place {
  std::string name = "demo";
  std::uint16_t port = 0;       ///< where the others reach it; 0: it is alone
  std::uint16_t store_port = 0; ///< of the node that has the store; 0: this one has it
};

/// A node's configuration in TOML: an http agent for each service, one for its undo and one for its probe.
std::string make_node_config(const services& remote, const std::filesystem::path& workflows, const node_place& place);

} // namespace demo
