#pragma once

#include "store/contract/state_store.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace steadfast::store {

struct file_figures {
  std::uint64_t bytes_used = 0;
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_max = 0;
  std::uint64_t bytes_reserve = 0; ///< of bytes_max, kept for work that was accepted
  std::uint64_t disk_free = 0;     ///< bytes free in the file system that the store is on
  std::uint64_t disk_size = 0;     ///< bytes of that file system; 0: not known
};

/// What a store offers in addition to its verbs because it is in files of this machine.
class store_files {
public:
  virtual ~store_files() = default;

  /// From now on one thread alone commits. Work that is cheaper when done once for several commits may wait until that
  /// thread calls save(): after a while, and soon after `wake` was called, on any thread, because a read waits. A
  /// commit is durable without save(). share() throws store_error if each commit must be saved by itself; save() throws
  /// only a fatal one. Without a `wake`: from now on nobody commits, and nothing waits for a save.
  virtual void share(std::function<void()> wake) = 0;
  virtual void save() = 0;

  /// Tasks whose records a read found damaged, with the reason; each is returned only once.
  virtual std::vector<set_aside_damaged> damaged() = 0;
  virtual file_figures sizes() const = 0;
  /// A consistent, compact copy, made while the store is in use. The directory must not exist. Throws store_error.
  virtual void copy(const std::filesystem::path& to) const = 0;
};

class local_store : public state_store, public store_files {
public:
  /// For each process that waits to take this store over: how many partitions that process has. Empty: nobody waits, or
  /// it cannot be seen. Callable from any thread.
  virtual std::vector<std::uint32_t> awaited_by() { return {}; }
  /// To be called before let_go(): does the slow work of it while commits go on. `wait` is called between two looks and
  /// waits for that time; it returns false if there is no time left.
  using waiting = std::function<bool(std::chrono::milliseconds)>;
  virtual void prepare_to_let_go(const waiting& wait) { static_cast<void>(wait); }
  /// From now on another process may own it. What was committed can still be read. REQUIRES: no commit follows.
  virtual void let_go() {}
};

/// The figures of both kinds, as people are shown them; for a store without files, the figures of files are 0.
struct store_stats : store_counts, file_figures {};
store_stats stats_of(const state_store& store, const store_files* files);

} // namespace steadfast::store
