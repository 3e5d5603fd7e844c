#pragma once

#include "runtime/configuration/node_options.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

// Node configuration in TOML; config/steadfast.toml lists every key.

namespace steadfast {

struct parsed_config {
  node_options options;                         ///< as written: paths not resolved, workflow files not read
  std::vector<std::filesystem::path> workflows; ///< files, and folders of *.toml files
  std::set<std::string> keys_known;             ///< "supervisor.period"; without those of absent tables
  std::set<std::string> keys_seen;
};

/// Throws config_error. `file` is named in messages; files with secrets are looked up in its folder.
parsed_config parse_config(std::string_view text, const std::string& file);

/// The options of a file: relative paths count from its folder, workflow files are read. Throws config_error.
node_options load_config(const std::filesystem::path& file);

/// Where a node of that configuration keeps its store and listens.
struct config_places {
  std::filesystem::path store;
  std::filesystem::path socket;
  bool is_on_server = false;                ///< the store is, and in the folder only the node's memory
  std::optional<std::int64_t> partitions{}; ///< of the store, when it is made; as written, so not checked
};

/// Reads nothing else of the file, so that no secret has to be available. Throws config_error.
config_places places_in_config(const std::filesystem::path& file);

} // namespace steadfast
