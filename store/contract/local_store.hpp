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
  std::uint64_t disk_free = 0;     ///< bytes, of the file system that the store is on
  std::uint64_t disk_size = 0;     ///< likewise; 0: not known
};

/// What a store has in addition to its verbs, because it is in files of this machine.
class store_files {
public:
  virtual ~store_files() = default;

  /// For one thread that alone commits from now on: what is cheaper once for several commits may wait until it calls
  /// save(): after a while, and soon after `wake` was called, on any thread, as a read waits. What was committed is
  /// durable without it. share() throws store_error if each commit must be saved by itself; save() only a fatal one.
  /// No `wake`: from now on nobody commits, and nothing waits for a save any more.
  virtual void share(std::function<void()> wake) = 0;
  virtual void save() = 0;

  /// Tasks that a read met and could not believe, with the reason; each is told once.
  virtual std::vector<set_aside_damaged> damaged() = 0;
  virtual file_figures sizes() const = 0;
  /// A consistent, compact copy, made while the store is in use. The directory must not exist. Throws store_error.
  virtual void copy(const std::filesystem::path& to) const = 0;
};

class local_store : public state_store, public store_files {
public:
  /// Of each process that waits to have it after this one, how many partitions that one has. Empty: nobody waits, or it
  /// cannot be seen. From any thread.
  virtual std::vector<std::uint32_t> awaited_by() { return {}; }
  /// Before it is let go: does what would take long then, while commits go on. `wait` waits for so long, between two
  /// looks; false: there is no time left.
  using waiting = std::function<bool(std::chrono::milliseconds)>;
  virtual void prepare_to_let_go(const waiting& wait) { static_cast<void>(wait); }
  /// Another may have it now. What was committed can still be read here. REQUIRES: nothing is committed any more.
  virtual void let_go() {}
};

/// Both, as people are shown them; without files the figures of files are 0.
struct store_stats : store_counts, file_figures {};
store_stats stats_of(const state_store& store, const store_files* files);

} // namespace steadfast::store
