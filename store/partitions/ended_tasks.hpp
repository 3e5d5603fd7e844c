#pragma once

#include "store/engine/tasks_elsewhere.hpp"
#include "store/lmdb/id_bits.hpp"
#include "store/postgres/partition.hpp"
#include "store/verbs/tasks/needed_tasks.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace steadfast::store {

inline constexpr std::size_t tasks_in_answer = 200; ///< with their payloads

std::vector<std::int64_t> as_numbers(const std::vector<std::uint64_t>& all);
std::vector<rows_of_task> grouped(std::vector<postgres::marked_row> by_task);

/// The tasks of a partition whose rows are marked: they have ended, and are not in the owner's memory. They are asked
/// for in a session of their own. A server is not believed if it lacks marks on which the memory relies.
class ended_tasks final : public tasks_elsewhere {
public:
  ended_tasks(postgres::owner_settings owner, std::int64_t partition, postgres::monotonic_clock now);
  ~ended_tasks() override;

  guard hold() const override { return guard{leaving_}; }
  bool may_have(const std::string& id) const override;
  bool may_have(std::uint64_t number) const override { return are_there_any() && counts_here(number); }
  page newest(const question& q) const override; ///< REQUIRES: the caller has called hold()
  std::optional<rows_of_task> find(std::uint64_t number) const override;
  std::optional<rows_of_task> find(const std::string& id) const override;

  // ---- for the thread that commits ----

  /// The memory has the living rows as of commit `until`, and the tasks `back` besides. REQUIRES: nobody reads.
  void begin(std::int64_t until, const std::vector<std::uint64_t>& back);
  /// From now on the ids of tasks that left are remembered. REQUIRES: the partition is owned.
  void begin_to_know_ids();
  bool has_all_ids() const; ///< whether a new id can be told from those without the server

  /// Passes the rows of needed tasks that are not in memory to `use`, a part at a time: the memory must have them
  /// before the next part. `has`: whether the memory has a task. `there`: how many tasks of a workflow have ended at
  /// most. `asked`: gets what is known then.
  void find_needed(const needed_tasks& needed, const std::function<bool(std::uint64_t)>& has,
                   const std::function<std::uint64_t(const std::string&)>& there, asked_elsewhere& asked,
                   const std::function<void(std::vector<rows_of_task>)>& use) const;
  elsewhere_counts counts() const;

  /// The memory has these tasks again, and their marks no longer count.
  void come_back(const std::vector<std::uint64_t>& numbers);
  /// The tasks whose marks do not count: they came back, or the mark is perhaps being made just now.
  std::vector<std::int64_t> back() const;
  std::size_t count_back() const;
  /// Their rows were brought up to that commit: of the tasks that came back, only those in `marked` are marked by now.
  void keep(std::int64_t until, const std::vector<std::int64_t>& back_before, const std::vector<std::uint64_t>& marked);
  /// Held while tasks leave the memory, or the memory is filled again. If the lock is not owned, somebody reads, and it
  /// must be tried again later: that reader may be waiting for a save.
  std::unique_lock<std::shared_mutex> try_to_let_leave() { return {leaving_, std::try_to_lock}; }
  /// These tasks have left. REQUIRES: the lock of try_to_let_leave() is held.
  void leave(const std::vector<leaving_task>& all, std::size_t count);

  /// Passes all of the tasks to `use`, a page at a time. They are read in one snapshot of the server, which is made
  /// before `before_first` is called.
  void each_page(const std::function<void()>& before_first,
                 const std::function<void(std::vector<rows_of_task>)>& use) const;

private:
  std::vector<postgres::rows> ask(std::vector<postgres::statement> all) const;
  std::vector<rows_of_task> those_that_count(const postgres::rows& found, const std::set<std::uint64_t>& but) const;
  std::set<std::uint64_t> set_of_back() const;
  bool counts_here(std::uint64_t number) const;
  bool are_there_any() const;
  struct member {
    ended_task what;
    std::uint64_t parent = 0; ///< 0: it has none, or the parent is not known
  };
  std::vector<member> those_to_purge(const std::vector<const purge_ended*>& purges, std::uint64_t there) const;
  void take_children(const std::vector<member>& all, const std::function<bool(std::uint64_t)>& has,
                     std::vector<ended_task>& children, std::vector<std::uint64_t>& others) const;
  void read_ids(const std::stop_token& end);
  bool read_page_of_ids(postgres::connection& c);
  void know_more_ids(); ///< REQUIRES: mutex_ is held

  postgres::owner_settings owner_;
  std::int64_t partition_;
  postgres::monotonic_clock now_;
  mutable std::shared_mutex leaving_;

  mutable std::mutex asking_;
  mutable std::optional<postgres::connection> session_;

  mutable std::mutex mutex_; ///< guards what follows
  std::set<std::uint64_t> back_;
  std::int64_t until_ = 0; ///< commit to which the rows were last brought up, as far as is known
  id_bits ids_{1U << 16U}; ///< of the tasks that left
  std::string ids_until_;  ///< how far they have been read from the server
  std::uint64_t anew_ = 0; ///< how often the reading has begun anew
  bool has_all_ids_ = false;

  std::condition_variable_any ids_wanted_;
  std::jthread reading_ids_;
};

} // namespace steadfast::store
