#pragma once

#include "workflow/schedule/schedule.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast {

/// The tables `[[schedule]]` of a text, without problems; docs/schedules.md describes them. Throws config_error; `file`
/// is named in messages.
std::vector<workflow::schedule> parse_schedules(std::string_view text, const std::string& file);
/// The file has nothing but these: it is no workflow's.
bool has_only_schedules(std::string_view text, const std::string& file);

struct schedule_in_file {
  workflow::schedule what;
  std::filesystem::path file;
};
/// Those of all the files, and of all *.toml files in the folders. Throws config_error with the mistakes of all of
/// them, or when two have the same name.
std::vector<schedule_in_file> load_schedules(const std::vector<std::filesystem::path>& paths);

} // namespace steadfast
