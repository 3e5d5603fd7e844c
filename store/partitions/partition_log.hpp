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

/// Whether a partition keeps the rows of that table. The others, the lists of tasks, follow from them.
bool is_kept(std::uint64_t table);

/// The rows that a partition keeps, by what commits changed.
class changed_rows {
public:
  /// Throws damaged_record.
  void note(std::string_view changes);
  void add(const changed_rows& other) { bytes_ += other.bytes_; }

  /// Each once, by table and key, as they are in these tables now.
  std::vector<postgres::row_change> as_they_are(const lmdb::transaction& txn, const tables& in) const;

private:
  std::string bytes_; ///< of each its table, the length of its key, and the key, one after the other
};

/// What became of an entry; nothing: it is under way.
using entry_end = std::optional<postgres::append_answer>;

/// The log of a partition as that of a store's memory. What is in doubt, or lost, the partition tells: then nothing may
/// be added until it is in order again.
class partition_log final : public outside_log {
public:
  /// `ended`: what is not read into the tables. `lease`: of the owner, who must show meanwhile that he lives. REQUIRES:
  /// these outlive it.
  partition_log(postgres::partition& of, ended_tasks& ended, std::chrono::milliseconds lease,
                postgres::monotonic_clock now)
      : of_{of},
        ended_{ended},
        lease_{lease},
        now_{std::move(now)} {}

  std::size_t size() const override { return size_; }
  bool has_room_for(std::size_t bytes) const override { return bytes <= round_max; }
  /// Only sends it.
  void add(std::string_view entry) override;
  void settle() override;
  void begin(std::uint64_t state) override;
  const std::vector<std::string>& entries() const override { return entries_; }
  /// Before the partition is taken, too: then the tables have what can be read by others.
  damaged_tasks fill(lmdb::transaction& txn, const tables& in) override;
  bool go_on(lmdb::transaction& txn, const tables& in, damaged_tasks& damaged) override;

  /// Writes a commit of nothing if there was none since the last call. What becomes of it is found out by the next
  /// entry. From any thread; `may_write`: none commits meanwhile. Otherwise only while there is a `filling`.
  void show_life_if_silent(bool may_write);

  /// As long as tables are filled from it, which takes long, and uses the partition for a small part of the time.
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

  /// What becomes of the entry that was added last; null: none was since the log was filled, or one failed.
  std::shared_ptr<const entry_end> last() const { return last_; }
  /// Until it is known what became of that entry, or of all.
  void settle(const entry_end& e);
  void settle_all();
  /// Even the quickest of the last entries was waited for, for so long that something else can be done meanwhile.
  bool is_far() const;
  /// When it was filled last, tasks could not be read, and so are in no list.
  bool has_damaged() const { return has_damaged_; }
  /// An entry was not made, so whoever added it has to go back. Once for each failure.
  bool take_failure();

  /// Throws store_error if it was lost as this owner showed life.
  void expect_owned() const;

  /// What the log has that the rows lack, in bytes of commits.
  std::size_t unkept() const { return unkept_; }
  /// The rows that were changed meanwhile. They count as kept; who fails to keep them gives them back.
  changed_rows take_changed();
  void give_back(changed_rows changed, std::size_t bytes);

private:
  static constexpr std::size_t round_max = std::size_t{8} << 20U; ///< of one commit, above which it is saved at once

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
  std::mutex using_partition_; ///< whoever shows life is another thread than the one that commits
  bool is_filling_ = false;
  std::int64_t shown_commit_ = -1;                 ///< the last at the last call of show_life_if_silent()
  std::chrono::steady_clock::time_point shown_at_; ///< life, while it is filled
  std::string first_;                ///< what the first commit of a new store says of the store; empty: it was said
  std::vector<std::string> entries_; ///< since begin(); those under way are the last
  struct sent_entry {
    std::shared_ptr<entry_end> end;
    std::chrono::steady_clock::time_point at;
  };
  std::deque<sent_entry> under_way_;
  /// The shortest times between sending and knowing, of so many entries and of as many before them.
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
  std::optional<postgres::read_ahead> ahead_; ///< what the tables have; nothing: they were filled by the owner
};

} // namespace steadfast::store
