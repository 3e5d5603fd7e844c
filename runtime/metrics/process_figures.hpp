#pragma once

#include <cstdint>

namespace steadfast {

/// Of this process, as the kernel tells; 0 where it does not.
struct process_figures {
  double cpu_seconds = 0;
  double start_seconds = 0; ///< since 1970
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t open_files_max = 0;
};
process_figures read_process_figures();

} // namespace steadfast
