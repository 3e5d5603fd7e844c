#include "tests/soak/watch.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace soak {
namespace {

namespace fs = std::filesystem;

/// The number behind the name in /proc/PID/status.
double status_of(pid_t process, const std::string& name) {
  std::ifstream in{"/proc/" + std::to_string(process) + "/status"};
  for (std::string word; in >> word;)
    if (word == name) {
      double value = 0;
      in >> value;
      return value;
    }
  return 0;
}

} // namespace

double own_memory(pid_t process) {
  return status_of(process, "RssAnon:");
}

std::size_t threads(pid_t process) {
  return static_cast<std::size_t>(status_of(process, "Threads:"));
}

std::size_t descriptors(pid_t process) {
  std::error_code gone;
  return static_cast<std::size_t>(
    std::distance(fs::directory_iterator{"/proc/" + std::to_string(process) + "/fd", gone}, fs::directory_iterator{}));
}

files files_under(const fs::path& folder) {
  files all;
  std::error_code gone;
  for (const auto& entry : fs::recursive_directory_iterator{folder, gone}) {
    struct stat s {};
    if (lstat(entry.path().c_str(), &s) != 0 || !S_ISREG(s.st_mode))
      continue;
    ++all.count;
    all.kibibytes += static_cast<double>(s.st_blocks) / 2;
  }
  return all;
}

std::size_t reader_slots(const fs::path& store) {
  // LMDB 0.9: two cache lines of head, then a line for each reader: transaction u64, process u32.
  constexpr std::size_t line = 64;
  constexpr std::size_t head = 2 * line;
  constexpr std::size_t process_at = 8;
  std::ifstream in{store / "lock.mdb", std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::size_t taken = 0;
  for (std::size_t at = head; at + line <= bytes.size(); at += line) {
    std::uint32_t process = 0;
    std::memcpy(&process, bytes.data() + at + process_at, sizeof process);
    taken += process != 0 ? 1 : 0;
  }
  return taken;
}

} // namespace soak
