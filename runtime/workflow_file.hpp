#pragma once

#include "workflow/definition.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Workflow definitions in TOML: docs/workflows.md describes the format.

namespace steadfast {

/// A definition without problems. Throws config_error; `file` is named in messages.
workflow::definition parse_workflow(std::string_view text, const std::string& file);
workflow::definition load_workflow(const std::filesystem::path& file);

/// Those of all the files, and of all *.toml files in the folders, in order of names. Throws config_error with the mistakes of
/// all of them, or when two have the same name and version.
std::vector<workflow::definition> load_workflows(const std::vector<std::filesystem::path>& paths);

} // namespace steadfast
