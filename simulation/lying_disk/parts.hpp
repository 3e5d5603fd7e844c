#pragma once

#include "simulation/lying_disk/lying_disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

/// What the sources of the lying disk share.
namespace steadfast::simulation {

namespace kernel {

inline constexpr std::uint64_t page_size = 4096; ///< that the kernel writes as one

// The kernel is asked directly: the functions of these names are those of calls.cpp.

inline long read_at(int fd, char* to, std::uint64_t size, std::uint64_t at) {
  return syscall(SYS_pread64, fd, to, size, at);
}

inline long write_at(int fd, const char* from, std::uint64_t size, std::uint64_t at) {
  return syscall(SYS_pwrite64, fd, from, size, at);
}

inline int open_at(const std::string& path, int flags, unsigned mode = 0) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags, mode));
}

inline void must(bool done, const char* what) {
  if (!done)
    throw std::runtime_error{std::string{"lying_disk: cannot "} + what + ": " + std::strerror(errno)};
}

inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

inline std::uint64_t rounded_down(std::uint64_t x, std::uint64_t to) {
  return x / to * to;
}

} // namespace kernel

/// A file, under whatever names.
struct lying_disk::file {
  /// What was there before it was written over.
  struct piece {
    number at = 0;
    number size = 0;
    std::size_t bytes_at = 0; ///< in `bytes`
  };

  explicit file(int file_descriptor) : fd{file_descriptor} {}
  ~file() { syscall(SYS_close, fd); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  void make_durable() {
    old.clear();
    bytes.clear();
    sizes.clear();
  }
  void keep(number at, number count);
  void resize(number to);
  void make_durable(number at, number end);
  void put_back(const piece& p, number from, number to) const;
  std::string durable_page(number at) const;

  int fd; ///< of our own
  number size = 0;
  number allocated = 0;
  std::vector<number> sizes; ///< that it had since the last sync, in order, but for the present one
  std::vector<piece> old;    ///< likewise
  std::string bytes;
  std::map<number, std::string> lost; ///< pages of which the disk has this, though the kernel takes them for written
};

struct lying_disk::descriptor {
  std::shared_ptr<file> what; ///< null: a directory
  std::string path;           ///< under which it was opened
  bool syncs_each_write = false;
};

struct lying_disk::name_change {
  enum class kind { made, removed, renamed, made_directory, removed_directory };
  kind what = kind::made;
  std::string path;
  std::string to;             ///< renamed
  std::shared_ptr<file> gone; ///< removed, or replaced
  std::string grave;          ///< where that is

  std::vector<std::string> folders() const {
    return to.empty() ? std::vector{kernel::folder_of(path)}
                      : std::vector{kernel::folder_of(path), kernel::folder_of(to)};
  }
};

} // namespace steadfast::simulation
