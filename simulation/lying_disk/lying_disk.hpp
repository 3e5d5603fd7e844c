#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::simulation {

/// How many of 1000 calls go wrong.
struct disk_lies {
  std::uint32_t sync_permille = 0;  ///< EIO; its data may not be on the disk, and no later sync writes it
  std::uint32_t write_permille = 0; ///< EIO, and nothing is written
  std::uint32_t short_permille = 0; ///< writes a part, and says so
  bool is_full = false;             ///< only space that was allocated before can be used
};

/// The faults of everything below a folder, for as long as this lives. It is between the process and the kernel
/// (calls.cpp) and takes from files what no sync has made durable. A program that is linked with it needs no change:
/// the calls of libraries come here too. Files are written at once, so that maps of them show it, and the previous
/// content is kept until a sync. A power cut restores any part of that, sector by sector, and any names that no sync of
/// a directory has made durable: as POSIX allows, or, if the seed says so, in the order in which they were changed. One
/// at a time in a process.
class lying_disk {
public:
  lying_disk(std::filesystem::path folder, std::uint64_t seed);
  ~lying_disk();
  lying_disk(const lying_disk&) = delete;
  lying_disk& operator=(const lying_disk&) = delete;

  void set_faults(const disk_lies& faults) { faults_ = faults; }
  /// The n-th sync from now in this process fails, also that of a write to a file that syncs every write.
  void fail_sync(std::uint64_t nth) { syncs_left_ = nth; }

  // ---- the end of a process; what it still writes is written nowhere, and every call says EIO ----

  void stop();
  /// In the middle of the n-th call from now that changes something.
  void stop_at(std::uint64_t calls) { calls_left_ = calls; }
  bool is_stopped() const { return is_stopped_; }

  // ---- the beginning of the next. REQUIRES: no file below the folder is open or mapped ----

  /// The machine kept running: everything written is there, though it need not be durable.
  void go_on();
  /// The power was cut.
  void start_again();

  /// Calls that were answered with EIO though it was not stopped.
  std::uint64_t failures(const std::filesystem::path& path) const;
  std::uint64_t failures() const;                ///< on any
  std::uint64_t calls() const { return calls_; } ///< that changed something
  /// A bit of the file flips, or a page of it becomes zero, unnoticed.
  void flip_bit(const std::filesystem::path& path);
  void clear_page(const std::filesystem::path& path);

  // ---- for calls.cpp: as the functions of the C library of that name, which set errno ----

  static lying_disk* present() { return present_.load(std::memory_order_acquire); }
  bool has(int fd) const;
  bool has_file(int fd) const; ///< and not a directory, which the C library may have closed by itself
  bool has(const char* path) const;

  int open(const std::string& path, int flags, unsigned mode);
  int close(int fd);
  long write(int fd, std::string_view bytes, std::uint64_t at);
  int sync(int fd, bool data_only);
  int truncate(int fd, std::uint64_t size);
  int allocate(int fd, int mode, std::uint64_t at, std::uint64_t size);
  int rename(const std::string& from, const std::string& to);
  int remove(const std::string& path, bool directory);
  int make_directory(const std::string& path, unsigned mode);
  std::string path_of(int directory) const;

private:
  struct file;
  struct descriptor;
  struct name_change;
  using number = std::uint64_t;

  number below(number bound) { return draw_() % bound; }
  bool happens(std::uint32_t permille) { return permille > 0 && below(1000) < permille; }
  bool sync_fails();
  /// False: this call does not take place, and errno is set.
  bool may_change();
  int fail(const std::string& path, int code);

  std::shared_ptr<file> file_at(const std::string& path);
  std::string_view some_pages(number at, std::string_view bytes);
  void write_some(file& f, std::string_view bytes, number at);
  void take_up_lost(file& f, number at, number size);
  void lose(file& f, number at, number end);
  void cut(file& f);

  void sync_names(const std::string& directory);
  std::vector<bool> surviving();
  void take_back(name_change& c);
  void forget(name_change& c);
  std::string bury(const std::string& path);

  static std::atomic<lying_disk*> present_;

  std::string root_; ///< ends with a slash
  std::string graves_;
  std::mt19937_64 draw_;
  number sector_size_;
  bool names_in_order_;
  disk_lies faults_;
  mutable std::recursive_mutex mutex_; ///< LMDB copies on two threads
  std::atomic<bool> is_stopped_ = false;
  std::optional<number> calls_left_;
  std::optional<number> syncs_left_; ///< until one fails
  number calls_ = 0;
  number buried_ = 0;
  std::vector<std::unique_ptr<descriptor>> descriptors_; ///< by their numbers
  std::map<std::string, std::shared_ptr<file>> files_;   ///< by their present names
  std::vector<name_change> changes_;                     ///< of names, that are not durable
  std::map<std::string, number> failures_;
};

} // namespace steadfast::simulation
