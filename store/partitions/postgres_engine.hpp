#pragma once

#include "store/contract/wrapped_store.hpp"
#include "store/engine/lmdb_engine.hpp"
#include "store/partitions/ended_tasks.hpp"
#include "store/partitions/partition_log.hpp"
#include "store/postgres/partition.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

// A store in a partition of PostgreSQL. What it holds is in the tables of an LMDB file that is never synced and goes
// away with the process: its memory. There the verbs work as they do for a store in files. Each commit is made durable
// by one entry of the partition's log, fenced by the epoch of its owner. Now and then a second session brings the rows
// of the partition up to the state of the memory, and the older log is emptied. By then tasks that ended well are
// marked, and leave the memory; what a batch needs of them is put back before the batch is decided.

namespace steadfast::store {

struct postgres_store_settings {
  postgres::owner_settings owner;
  std::int64_t partition = 0;
  /// Its path is that of the memory: a directory that is made at the start and removed at the end.
  store_options limits;
  std::shared_ptr<const store_directory> folder{}; ///< held as long as the store is open; may be null
  std::size_t log_max = std::size_t{16} << 20U;    ///< bytes of commits after which the rows are brought up to date
  std::size_t ended_max = 10'000; ///< how many tasks may be due to leave the memory, or be back, before that too
  std::chrono::milliseconds keep_limit{60'000}; ///< for bringing up the rows, as one transaction
  std::size_t commits_at_once = 2;              ///< how many may be under way to the server
  std::chrono::milliseconds lease{5000};        ///< another may take it after so long without a sign of life
};

class postgres_engine final : public wrapped_store {
public:
  /// Takes the partition from the holder that was seen, and reads all that is in it. Throws store_error.
  postgres_engine(postgres_store_settings settings, const postgres::holding& seen, postgres::monotonic_clock now);
  /// Reads all that is in the partition before it is taken. Throws store_error.
  postgres_engine(postgres_store_settings settings, postgres::monotonic_clock now);
  /// Takes it after that, and reads what has been added since. Throws store_error. To be called once, first of all.
  void take(const postgres::holding& seen);
  /// Lets the partition go, if PostgreSQL answers.
  ~postgres_engine() override;

  using state_store::commit;
  /// If it is not known what became of an earlier commit, finds that out first, up to the limits of the session. Throws
  /// store_error: a fatal one if another owner has the partition; otherwise nothing was written.
  std::vector<outcome> commit(const write_list& batch) override { return begin_commit(batch)(); }
  commit_end begin_commit(const write_list& batch) override;
  /// One if the server is so near that beginning another commit meanwhile would only make both of them smaller.
  std::size_t commits_at_once() const override { return log_.is_far() ? settings_.commits_at_once : 1; }
  void save() override;
  void expect_newest() const override;
  std::vector<std::uint32_t> awaited_by() override;
  void prepare_to_let_go(const waiting& wait) override;
  void let_go() override;
  void copy(const std::filesystem::path& to) const override;

  /// From now on the store is elsewhere: nothing is written here any more, and nobody takes it again. REQUIRES: it is
  /// the only partition of the store, and nothing was committed since the store was copied.
  postgres::append_answer move_away(const std::string& where);

  const postgres::acknowledged& known() const { return partition_.known(); }
  /// For whoever wants to know which tasks are not in memory.
  const ended_tasks& ended() const { return ended_; }
  std::uint64_t tasks_in_memory() const;

private:
  local_store& real() const override { return *memory_; }

  void take_surely(const postgres::holding& seen);
  std::unique_ptr<lmdb_engine> read_all(const postgres::holding* to_take = nullptr);
  bool is_read_quickly() const;

  std::string why_not_in_order();
  void put_back_needed(const needed_tasks& needed, std::size_t writes, asked_elsewhere& asked);
  /// Waits until the end of all that was sent is known; then the memory has what was made. Throws store_error.
  void settle_in_order();
  void save_before_coming_back();
  void fill_again();
  std::vector<outcome> end_commit(const entry_end* sent, std::vector<outcome> outcomes);
  void go_back_after_failure();
  void show_life(const std::stop_token& end);
  void save_known() const;
  void begin_keeping();
  bool has_ended_keeping() const;
  /// Waits for it to end. False: the rows are as they were before.
  bool end_keeping();
  struct keeper;
  void keep(keeper& k);
  void let_leave();
  bool is_keeping_due() const;

  postgres_store_settings settings_;
  postgres::monotonic_clock now_;
  postgres::partition partition_;
  ended_tasks ended_;
  partition_log log_;
  std::mutex writing_;
  std::jthread living_; ///< shows that the owner lives while it writes nothing, even while it reads the partition
  std::unique_ptr<lmdb_engine> memory_;
  bool is_stale_ = false;                       ///< the memory is not as the partition is
  bool is_leaving_ = false;                     ///< it will be let go soon
  std::optional<postgres::connection> leaving_; ///< its name tells others so

  /// Brings the rows up to date.
  struct keeper {
    std::mutex mutex;
    std::condition_variable changed;
    bool has_begun = false; ///< it sees the state that it shall keep
    bool has_ended = false;
    std::string trouble; ///< why the rows were not, or perhaps not, brought up; empty: they are up to date
    changed_rows rows;
    std::size_t bytes = 0;
    std::int64_t until = 0;
    std::int64_t epoch = 0;
    std::vector<std::int64_t> back; ///< tasks whose marked rows, if there are any, are replaced by what the memory has
    std::string look_from;          ///< where to look for tasks that may leave
    leaving_tasks leaving;          ///< the tasks that it has marked
    std::uint64_t last_task = 0;    ///< in the state that it kept
    std::thread thread;
  };
  std::unique_ptr<keeper> keeper_;
  std::int64_t kept_commit_ = -1;       ///< up to which bringing up the rows was last tried; never twice the same
  std::uint64_t rows_of_tasks_ = ~0ULL; ///< the rows may have something of tasks up to that number
  std::string look_from_;               ///< where to look for tasks that may leave
  std::uint64_t staying_ = 0;           ///< how many were looked at and may not leave
  std::vector<leaving_task> marked_;    ///< the tasks that are to leave the memory
};

} // namespace steadfast::store
