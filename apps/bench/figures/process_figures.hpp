#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace steadfast::bench {

inline constexpr double mebibyte = 1 << 20;

/// What the kernel knows of this process.
struct process_figures {
  double cpu_seconds = 0;          ///< user and system, of all threads
  std::uint64_t bytes_written = 0; ///< given to the kernel for files: what the store writes, and logs
  std::uint64_t resident = 0;      ///< bytes
  std::uint64_t resident_peak = 0; ///< bytes
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(process_figures, cpu_seconds, bytes_written, resident, resident_peak)
process_figures figures_now();
/// Of another process; 0 for what cannot be read. The processor's time is left out.
process_figures figures_of(int process);
/// The processor's time of all children of a process's parent, those that have ended included, and of the parent.
/// Nothing: they cannot be seen, or the program of the process has another name.
std::optional<double> cpu_of_siblings(int process, const std::string& program);
/// Bytes that all processes gave to the disk of the folder since the machine started; 0 if unknown.
std::uint64_t device_bytes_written(const std::filesystem::path& folder);

} // namespace steadfast::bench
