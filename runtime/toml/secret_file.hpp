#pragma once

#include <filesystem>
#include <string>

namespace steadfast::runtime {

/// Why the file may not have a secret; empty: it may, or it is not there.
std::string why_no_secret(const std::filesystem::path& file);

/// What is in it, without the ends of lines at its end. Throws config_error if it cannot be read.
std::string read_secret_file(const std::filesystem::path& file);

} // namespace steadfast::runtime
