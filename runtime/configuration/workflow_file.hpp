#pragma once

#include "workflow/definition/definition.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Workflow definitions in TOML: docs/workflows.md describes the format.

namespace steadfast {

/// A definition without problems. Throws config_error; `file` is named in messages.
workflow::definition parse_workflow(std::string_view text, const std::string& file);
workflow::definition load_workflow(const std::filesystem::path& file);

/// By name and version.
using workflow_files = std::map<std::pair<std::string, std::uint32_t>, std::filesystem::path>;

/// The files, and all *.toml files in the folders, in order. Throws config_error.
std::vector<std::filesystem::path> workflow_files_in(const std::vector<std::filesystem::path>& paths);

/// Those of all the files, and of all *.toml files in the folders, ordered by name; `from` gets the file of each.
/// Throws config_error with the mistakes of all of them, or when two have the same name and version.
std::vector<workflow::definition> load_workflows(const std::vector<std::filesystem::path>& paths,
                                                 workflow_files* from = nullptr);

} // namespace steadfast
