#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace steadfast {

/// One node of a cluster on this host.
struct planned_node {
  std::string name;
  std::filesystem::path folder; ///< of its own, for all that it writes
  std::string config;           ///< the text of its configuration

  std::filesystem::path config_file() const { return folder / "node.toml"; }
  std::filesystem::path log_file() const { return folder / "log"; }
  std::filesystem::path socket() const { return folder / "control.sock"; }
};

/// Reads a cluster file (config/clusters/three.toml describes the format). The nodes' folders are under `folder`, or
/// under the one that the file names. Each configuration is checked. Throws config_error.
std::vector<planned_node> plan_cluster(const std::filesystem::path& file, const std::filesystem::path& folder = {});

} // namespace steadfast
