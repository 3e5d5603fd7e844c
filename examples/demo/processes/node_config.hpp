#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace demo {

class services;

/// Which node of a cluster it is.
struct node_place {
  std::string name = "demo";
  std::string listen;                   ///< host:port where the others reach it; empty: it is alone
  std::string join;                     ///< host:port of the node that has the store; empty: this one has it
  std::string store_url{};              ///< of a store on a server; empty: it is in files
  std::uint32_t partitions = 1;         ///< of a store in files, the same for all nodes
  bool private_network = false;         ///< may listen beyond loopback
  std::filesystem::path certificates{}; ///< folder of the cluster's; empty: there are none
  std::string http{};                   ///< host:port of its page; empty: it has none
};

/// A node's configuration in TOML: an http agent for each service, one for its undo and one for its probe.
std::string make_node_config(const services& remote, const std::filesystem::path& workflows, const node_place& place);

} // namespace demo
