#pragma once

#include <filesystem>

namespace steadfast::tests {

/// In memory, or on disk where there is no such place.
inline std::filesystem::path fast_place() {
  const std::filesystem::path memory{"/dev/shm"};
  return std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
}

} // namespace steadfast::tests
