#pragma once

#include <filesystem>
#include <string>

namespace demo {

class services;

/// A node's configuration in TOML: an http agent for each service, one for its undo and one for its probe.
std::string make_node_config(const services& remote, const std::filesystem::path& workflows);

} // namespace demo
