#pragma once

#include <cstdint>

namespace steadfast::bench {

/// What the kernel knows of this process.
struct process_figures {
  double cpu_seconds = 0;          ///< user and system, of all threads
  std::uint64_t bytes_written = 0; ///< to disk, as /proc/self/io counts them: pages made dirty
  std::uint64_t resident = 0;      ///< bytes
  std::uint64_t resident_peak = 0; ///< bytes
};
process_figures figures_now();

} // namespace steadfast::bench
