#pragma once

#include "actors/agents/program/descriptor.hpp"

#include <filesystem>

namespace steadfast::runtime {

/// For appending lines; made with its folder if it is not there, for its user alone. A link, what is no file, and a
/// file of another user are refused: throws std::runtime_error with what is wrong.
actors::descriptor open_log_file(const std::filesystem::path& path);

} // namespace steadfast::runtime
