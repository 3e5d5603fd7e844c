#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>

namespace soak {

/// Memory of its own, without what it maps of files; KiB.
double own_memory(pid_t process);
std::size_t descriptors(pid_t process);
std::size_t threads(pid_t process);

struct files {
  std::size_t count = 0;
  double kibibytes = 0; ///< of the disk
};
files files_under(const std::filesystem::path& folder);

/// Slots of LMDB's table of readers that are taken.
std::size_t reader_slots(const std::filesystem::path& store);

} // namespace soak
