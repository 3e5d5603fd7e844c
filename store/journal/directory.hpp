#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace steadfast::store {

/// An open file descriptor.
class file_handle {
public:
  file_handle() = default;
  explicit file_handle(int fd) : fd_{fd} {}
  ~file_handle();
  file_handle(file_handle&& other) noexcept;
  file_handle& operator=(file_handle&& other) noexcept;

  int get() const { return fd_; }

private:
  int fd_ = -1;
};

/// The names of a remote file system by its statfs magic; absent for one that may hold a store.
std::optional<std::string> remote_file_system(std::int64_t magic);

/// The directory of a store, for this process alone: locked, owned by its user, closed to others. Throws
/// store_error with what is wrong and what to do.
class store_directory {
public:
  /// Makes it if it is not there.
  static store_directory take(const std::filesystem::path& path);
  /// To look at it while another process has it.
  static store_directory look_at(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path data_file() const { return path_ / "data.mdb"; }
  bool is_new() const { return is_new_; }       ///< there was no data file, or an empty one
  bool was_used() const { return was_used_; }   ///< a store that had a data file was here
  bool is_in_use() const { return is_in_use_; } ///< by another process, as far as look_at() could see
  std::uint64_t file_size() const;              ///< of the data file; 0 if there is none

  /// For reading and writing; made if it is not there.
  file_handle open_file(const std::string& name) const;

  /// What the last process said when it closed the store; another state means that it did not come to that.
  struct closed_state {
    std::uint64_t transaction = 0;
    std::uint64_t file_size = 0;

    friend bool operator==(const closed_state&, const closed_state&) = default;
  };
  std::optional<closed_state> closed() const;
  void mark_closed(const closed_state& s) const;
  void mark_open() const;

private:
  std::filesystem::path path_;
  file_handle lock_;
  bool is_new_ = false;
  bool was_used_ = false;
  bool is_in_use_ = false;
};

/// The directory that a path lies in, whether or not it ends in a slash.
std::filesystem::path parent_of(const std::filesystem::path& path);

/// Makes what was created, renamed or removed in the directory durable.
void sync_directory(const std::filesystem::path& path);

} // namespace steadfast::store
