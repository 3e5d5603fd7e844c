#pragma once

#include "store/journal/commit_log.hpp"
#include "store/partitions/ended_tasks.hpp"
#include "store/postgres/partition.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::store {

/// Whether a partition keeps the rows of that table. The other tables, lists of tasks, follow from them.
bool is_kept(std::uint64_t table);

/// The rows to be kept that commits have changed.
class changed_rows {
public:
  /// Throws damaged_record.
  void note(std::string_view changes);
  void add(const changed_rows& other) { bytes_ += other.bytes_; }

  /// Each changed row once, by table and key, as it is in these tables now.
  std::vector<postgres::row_change> as_they_are(const lmdb::transaction& txn, const tables& in) const;

private:
  std::string bytes_; ///< of each row: its table, the length of its key, and the key, one row after the other
};

/// What became of an entry; nothing: that is not known yet.
using entry_end = std::optional<postgres::append_answer>;

/// The log of a partition, as the log of a store's memory. The partition says whether an entry is in doubt, or was
/// lost: then nothing may be added until that is settled.
class partition_log final : public outside_log {
public:
  /// `ended`: tasks that are not read into the tables. `lease`: of the owner, who must show a sign of life while the
  /// tables are filled. REQUIRES: `of` and `ended` outlive it.
  partition_log(postgres::partition& of, ended_tasks& ended, std::chrono::milliseconds lease,
                postgres::monotonic_clock now)
      : of_{of},
        ended_{ended},
        lease_{lease},
        now_{std::move(now)} {}

  std::size_t size() const override { return size_; }
  bool has_room_for(std::size_t bytes) const override { return bytes <= round_max; }
  /// Sends the entry, and does not wait for the answer.
  void add(std::string_view entry) override;
  void settle() override;
  void begin(std::uint64_t state) override;
  const std::vector<std::string>& entries() const override { return entries_; }
  /// Also before the partition is taken: then the tables get what one who is not the owner can read.
  damaged_tasks fill(lmdb::transaction& txn, const tables& in) override;
  bool go_on(lmdb::transaction& txn, const tables& in, damaged_tasks& damaged) override;

  /// Writes an empty commit if there was no commit since the last call. What becomes of it is found out with the next
  /// entry. From any thread; `may_write`: nobody commits meanwhile. Without it, only while there is a `filling`.
  void show_life_if_silent(bool may_write);

  /// Lives while tables are filled from the log: that takes long, but uses the partition only for a small part of it.
  class filling {
  public:
    explicit filling(partition_log& of) : of_{of} { set(true); }
    ~filling() { set(false); }
    filling(const filling&) = delete;
    filling& operator=(const filling&) = delete;

  private:
    void set(bool is) const {
      const std::lock_guard lock{of_.using_partition_};
      of_.is_filling_ = is;
    }
    partition_log& of_;
  };

  // ---- for the thread that commits ----

  /// What becomes of the entry that was added last; null: none was added since the log was filled, or one failed.
  std::shared_ptr<const entry_end> last() const { return last_; }
  /// Waits until it is known what became of that entry, or of all.
  void settle(const entry_end& e);
  void settle_all();
  /// Even the quickest of the last entries took so long that something else can be done while it is waited for.
  bool is_far() const;
  /// When the log was last read into the tables, some tasks could not be read, and so are in no list.
  bool has_damaged() const { return has_damaged_; }
  /// An entry was not made, so whoever added it has to go back. True once for each failure.
  bool take_failure();

  /// Throws store_error if it turned out while showing life that the partition was lost.
  void expect_owned() const;

  /// How much the log has that the rows lack, in bytes of commits.
  std::size_t unkept() const { return unkept_; }
  /// The rows that were changed since. They count as kept now; whoever fails to keep them gives them back.
  changed_rows take_changed();
  void give_back(changed_rows changed, std::size_t bytes);

private:
  static constexpr std::size_t round_max = std::size_t{8} << 20U; ///< of one commit: a larger one is saved at once

  std::vector<rows_of_task> put_back_changed(lmdb::transaction& txn, const tables& in,
                                             const std::vector<std::string>& later, damaged_tasks& damaged);
  std::vector<std::string> changes_of(std::vector<postgres::log_record> records);
  void begin_filled(bool is_new, const lmdb::transaction& txn, const tables& in);
  void settle_one();
  void note_time(std::chrono::steady_clock::duration took);
  void show_life();

  postgres::partition& of_;
  ended_tasks& ended_;
  std::chrono::milliseconds lease_;
  postgres::monotonic_clock now_;
  std::mutex using_partition_; ///< life is shown by another thread than the one that commits
  bool is_filling_ = false;
  std::int64_t shown_commit_ = -1;                 ///< the last commit at the last call of show_life_if_silent()
  std::chrono::steady_clock::time_point shown_at_; ///< when life was last shown while it was filled
  std::string first_;                ///< what the first commit of a new store says about the store; empty: it was said
  std::vector<std::string> entries_; ///< since begin(); those still under way are last
  struct sent_entry {
    std::shared_ptr<entry_end> end;
    std::chrono::steady_clock::time_point at;
  };
  std::deque<sent_entry> under_way_;
  /// The shortest time between sending an entry and knowing its end: among the latest entries, and among those before.
  struct {
    unsigned entries = 0;
    std::chrono::steady_clock::duration now = std::chrono::steady_clock::duration::max();
    std::chrono::steady_clock::duration before{};
  } quickest_;
  std::shared_ptr<const entry_end> last_;
  bool has_failed_ = false;
  bool has_damaged_ = false;
  std::size_t size_ = 0;
  changed_rows changed_;
  std::size_t unkept_ = 0;
  std::optional<postgres::read_ahead> ahead_; ///< how much the tables have; nothing: the owner filled them
};

} // namespace steadfast::store
