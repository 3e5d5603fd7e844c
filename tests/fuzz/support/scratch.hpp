#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace steadfast::fuzz {

/// A folder of this process, under $STEADFAST_FUZZ_SCRATCH, or else in memory where there is such a place; removed when
/// the process ends in good order.
const std::filesystem::path& scratch_folder();

/// Writes a file of that name into it, in place of one that is there, and returns its path.
std::filesystem::path scratch_file(const std::string& name, std::string_view bytes);

/// All that is in a file.
std::string bytes_of(const std::filesystem::path& file);

} // namespace steadfast::fuzz
