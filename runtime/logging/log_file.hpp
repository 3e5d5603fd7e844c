#pragma once

#include "actors/agents/program/descriptor.hpp"

#include <filesystem>

namespace steadfast::runtime {

/// For appending lines; made with its folder if it is not there, readable by its user only. A link, something that is
/// not a file, and a file of another user are refused: throws std::runtime_error with the reason.
actors::descriptor open_log_file(const std::filesystem::path& path);

} // namespace steadfast::runtime
