#include "apps/bench/figures/process_figures.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <string>

namespace steadfast::bench {
namespace {

/// Of a line such as "VmRSS:   1234 kB"; 0 if there is none.
std::uint64_t number_after(const std::string& file, const std::string& name) {
  std::ifstream in{file};
  for (std::string word; in >> word;)
    if (word == name + ":") {
      std::uint64_t number = 0;
      in >> number;
      return number;
    }
  return 0;
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

process_figures figures_in(const std::string& folder) {
  constexpr std::uint64_t kilobyte = 1024;
  process_figures f;
  // Not write_bytes: since Linux 6.16 a page of ext4 may be many, all of which it counts when one is changed.
  f.bytes_written = number_after(folder + "/io", "wchar");
  f.resident = number_after(folder + "/status", "VmRSS") * kilobyte;
  f.resident_peak = number_after(folder + "/status", "VmHWM") * kilobyte;
  return f;
}

} // namespace

process_figures figures_now() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto f = figures_in("/proc/self");
  f.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  return f;
}

process_figures figures_of(int process) {
  return figures_in("/proc/" + std::to_string(process));
}

std::uint64_t device_bytes_written(const std::filesystem::path& folder) {
  constexpr std::uint64_t sector = 512;
  constexpr int sectors_written = 7; // Documentation/block/stat.rst
  struct stat s {};
  if (stat(folder.c_str(), &s) != 0)
    return 0;
  std::ifstream in{"/sys/dev/block/" + std::to_string(major(s.st_dev)) + ":" + std::to_string(minor(s.st_dev))
                   + "/stat"};
  std::uint64_t number = 0;
  for (int i = 0; i < sectors_written && in; ++i)
    in >> number;
  return in ? number * sector : 0;
}

} // namespace steadfast::bench
