#include "runtime/metrics/process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace steadfast {

namespace {

/// The fields of proc(5)'s stat from the third on, which come after the name in brackets.
std::istringstream fields_of_stat() {
  std::ifstream in{"/proc/self/stat"};
  std::string line;
  std::getline(in, line);
  const auto name_ends = line.rfind(')');
  return std::istringstream{name_ends == std::string::npos ? std::string{} : line.substr(name_ends + 1)};
}

std::uint64_t boot_seconds() {
  std::ifstream in{"/proc/stat"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("btime "))
      return std::stoull(line.substr(6));
  return 0;
}

} // namespace

process_figures read_process_figures() {
  constexpr int user_time = 14; // as proc(5) numbers the fields
  constexpr int system_time = 15;
  constexpr int start_time = 22;
  constexpr int virtual_size = 23;
  constexpr int resident_pages = 24;
  process_figures f;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  auto fields = fields_of_stat();
  std::string field;
  for (int i = 3; i <= resident_pages && fields >> field; ++i) {
    if (i == user_time || i == system_time)
      f.cpu_seconds += static_cast<double>(std::stoull(field)) / ticks;
    else if (i == start_time)
      f.start_seconds = static_cast<double>(boot_seconds()) + static_cast<double>(std::stoull(field)) / ticks;
    else if (i == virtual_size)
      f.virtual_bytes = std::stoull(field);
    else if (i == resident_pages)
      f.resident_bytes = std::stoull(field) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  std::error_code unknown;
  const std::filesystem::directory_iterator open{"/proc/self/fd", unknown};
  if (!unknown)
    f.open_files = static_cast<std::uint64_t>(std::distance(begin(open), end(open)));
  rlimit most{};
  if (getrlimit(RLIMIT_NOFILE, &most) == 0)
    f.open_files_max = most.rlim_cur;
  return f;
}

} // namespace steadfast
