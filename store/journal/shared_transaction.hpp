#pragma once

#include "store/contract/options.hpp"
#include "store/journal/change_log.hpp"
#include "store/journal/journal.hpp"
#include "store/lmdb/known_tasks.hpp"
#include "store/lmdb/lmdb.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace steadfast::store {

/// The write transaction of the data file, which several commits can share: each is durable by an entry of the journal,
/// and all of them are saved in the data file together, so that a page that several of them change is written once.
/// LMDB wants a transaction to end on the thread on which it began.
class shared_transaction {
public:
  /// `outside`: the log of a store that has one elsewhere; null: it gets a journal in the directory, by share().
  shared_transaction(lmdb::environment& env, const tables& in, const store_directory& directory,
                     const store_options& options, outside_log* outside = nullptr);

  /// From now on, commits are shared. `wake` is called on a thread that waits for save(), and must bring it about.
  /// The journal gets that name, which no other opening of any store has. Throws lmdb::error or store_error.
  void share(std::function<void()> wake, std::uint64_t name);

  // ---- for the thread that commits ----

  /// With all that was committed. Throws lmdb::error or store_error.
  lmdb::transaction& begin();
  /// Makes what was done since begin() durable, in the journal only if it is certain that all of it can be saved later:
  /// there is room below store.size_max, and `has_disk`. A log elsewhere gets it in any case; true: then save() shall
  /// follow at once, and what becomes of that changes nothing of the commit. Throws lmdb::error or store_error; then
  /// call drop().
  [[nodiscard]] bool commit(bool has_disk);
  /// Brings all that was committed to the data file. Throws lmdb::error or store_error; then call drop().
  void save();
  /// Forgets what was done since begin(). What was committed stays: in the journal, at least.
  void drop();
  /// drop(), and what is in the data file is all that there is.
  void begin_again();
  /// Nobody shall wait any longer: save() failed and is not tried again now.
  void let_go() { end_try(false); }
  /// Whoever shared the commits saves no more, and nobody waits for that.
  void end_sharing();

  known_tasks& known() { return known_; }
  change_log* changes() { return log_ != nullptr ? &changes_ : nullptr; }
  bool is_open() const { return txn_ != nullptr; }
  /// As far as known() does not hold it. REQUIRES: it is open.
  const lmdb::transaction& without_held() const { return *txn_; }
  std::uint64_t unsaved_bytes() const { return is_saved_ ? 0 : log_->size(); }

  // ---- for every thread ----

  /// False: the journal has commits that the data file has not.
  bool is_saved() const { return is_saved_; }
  bool is_shared() const { return static_cast<bool>(wake_); }
  /// It began on this thread, which must not wait for itself, and sees all that was committed in now() while it is
  /// open.
  bool is_mine() const { return thread_ == std::this_thread::get_id(); }
  const lmdb::transaction& now();
  /// Returns when all that was committed before is in the data file; false: it cannot be brought there now.
  bool wait() const;

private:
  void place();
  bool has_room_to_save();
  void save_from_log();
  void end_try(bool was_saved);

  lmdb::environment& env_;
  const tables& in_;
  const store_directory& directory_;
  const store_options& options_;
  outside_log* outside_;
  std::optional<journal> journal_;
  commit_log* log_; ///< null: each commit is saved by itself
  change_log changes_;
  known_tasks known_; ///< some of it is not in the tables of txn_ yet
  std::unique_ptr<lmdb::transaction> txn_;
  std::function<void()> wake_;
  std::atomic<std::thread::id> thread_;
  std::atomic<bool> is_saved_ = true;

  mutable std::mutex mutex_;
  mutable std::condition_variable tried_;
  std::uint64_t tries_ = 0; ///< to save
  bool was_saved_ = true;   ///< by the last of them
  bool is_over_ = false;    ///< nobody saves any more

  /// What the transaction has changed since it began.
  struct {
    std::uint64_t table_changes = 0;
    std::uint64_t bytes_put = 0;
    std::uint64_t tasks_placed = 0;
  } round_;
};

} // namespace steadfast::store
