#include "apps/bench/figures/process_figures.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
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

/// Of /proc/[pid]/stat (proc(5)), in ticks.
struct process_line {
  std::string program;
  int parent = 0;
  std::int64_t used = 0;
  std::int64_t used_by_ended = 0; ///< children
};

std::optional<process_line> line_of(const std::string& process) {
  std::ifstream in{"/proc/" + process + "/stat"};
  std::string text;
  std::getline(in, text);
  const auto begin = text.find('(');
  const auto end = text.rfind(')'); // the name may have some of its own
  if (begin == std::string::npos || end == std::string::npos)
    return std::nullopt;
  process_line p;
  p.program = text.substr(begin + 1, end - begin - 1);
  std::istringstream rest{text.substr(end + 1)};
  std::string skipped;
  rest >> skipped >> p.parent;
  constexpr int between = 9; // the process group and what follows, up to the faults
  for (int i = 0; i < between; ++i)
    rest >> skipped;
  std::int64_t user = 0;
  std::int64_t system = 0;
  std::int64_t user_of_ended = 0;
  std::int64_t system_of_ended = 0;
  rest >> user >> system >> user_of_ended >> system_of_ended;
  p.used = user + system;
  p.used_by_ended = user_of_ended + system_of_ended;
  return rest ? std::optional{p} : std::nullopt;
}

} // namespace

std::optional<double> cpu_of_siblings(int process, const std::string& program) {
  const auto one = line_of(std::to_string(process));
  const auto parent = one ? line_of(std::to_string(one->parent)) : std::nullopt;
  if (!parent || one->program != program)
    return std::nullopt;
  auto ticks = parent->used + parent->used_by_ended;
  std::error_code none;
  for (const auto& f : std::filesystem::directory_iterator{"/proc", none})
    if (const auto other = line_of(f.path().filename().string()); other && other->parent == one->parent)
      ticks += other->used;
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

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
