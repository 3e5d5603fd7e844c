#include "apps/bench/process_figures.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace steadfast::bench {
namespace {

/// Of a line such as "VmRSS:   1234 kB"; 0 if there is none.
std::uint64_t number_after(const char* file, const std::string& name) {
  std::ifstream in{file};
  for (std::string word; in >> word;)
    if (word == name + ":") {
      std::uint64_t number = 0;
      in >> number;
      return number;
    }
  return 0;
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

} // namespace

process_figures figures_now() {
  constexpr std::uint64_t kilobyte = 1024;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  process_figures f;
  f.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  f.bytes_written = number_after("/proc/self/io", "write_bytes");
  f.resident = number_after("/proc/self/status", "VmRSS") * kilobyte;
  f.resident_peak = number_after("/proc/self/status", "VmHWM") * kilobyte;
  return f;
}

} // namespace steadfast::bench
