#pragma once

#include "store/journal/change_log.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/outline/task_outline.hpp"
#include "store/verbs/tasks/decide_purge.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

// How ended tasks leave the tables of a store that keeps them elsewhere, and how they come back.

namespace steadfast::store {

/// A row of a table. `table`: the place of the table in all_tables, counted from 1.
struct stored_row {
  std::uint64_t table = 0;
  std::string key;
  std::string value;
};
/// The rows of a task.
struct rows_of_task {
  std::uint64_t number = 0;
  std::vector<stored_row> rows;
};

/// For lists of tasks of any of these types.
template <class Tasks>
std::vector<std::uint64_t> numbers_of(const Tasks& all) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(all.size());
  for (const auto& t : all)
    numbers.push_back(t.number);
  return numbers;
}

/// What is kept for a task besides its own rows.
kept_of_ended kept_of(const lmdb::transaction& txn, const tables& in, const workflow::task& t);

/// A task that is to leave, as it was when its rows were copied.
struct leaving_task {
  std::uint64_t number = 0;
  std::string id;
  std::string workflow;
  kept_index_position place;
  std::uint64_t record = 0; ///< hash of its record, which changes with all of the task except its items
  /// Rows that are elsewhere from now on, in the order of tables and keys: also that of table `ids`, which may not be
  /// there yet, and those of the lists elsewhere. In list `ended` the value is the number of the parent.
  std::vector<stored_row> rows;
};
/// The tasks that may leave, from that key of table `ended` on: at most a few thousand tasks and some MB.
struct leaving_tasks {
  std::vector<leaving_task> tasks;
  std::uint64_t staying = 0; ///< how many were looked at and may not leave
  std::string next;          ///< key to go on from; empty: from the first
};
/// Damaged tasks stay. `definitions` must only ever see committed ones.
leaving_tasks tasks_to_leave(const lmdb::transaction& txn, const tables& in, definition_cache& definitions,
                             const std::string& from);

/// Tasks that came back from elsewhere, as the tables have them now.
struct tasks_again {
  std::vector<stored_row> rows;          ///< of the tasks that can be read
  std::vector<std::uint64_t> unreadable; ///< damaged, or set aside: their rows stay as they were
};
tasks_again tasks_as_they_are(const lmdb::transaction& txn, const tables& in, definition_cache& definitions,
                              const std::vector<std::uint64_t>& numbers);

/// What list `ended` elsewhere has as the value of the task: the number of its parent; empty: it has none, or the
/// number is not known.
std::string parent_in_list(const workflow::task& t);

/// Takes a task out of the tables. False: it has changed since its rows were copied, and nothing was done.
bool take_out(lmdb::transaction& txn, const tables& in, const leaving_task& t);

/// Whether a task that is elsewhere has rows of that table there. The lists are not meant.
bool is_of_task_elsewhere(std::uint64_t table);
/// Whether that table is one of the lists elsewhere, which have rows only for tasks that are there.
bool is_list_elsewhere(std::uint64_t table);
/// All lists elsewhere.
std::vector<std::uint64_t> lists_elsewhere();

/// Puts the rows of tasks into the tables, and the tasks into the lists. Returns the tasks that cannot be read: they
/// are in no list.
damaged_tasks put_back(lmdb::transaction& txn, const tables& in, const std::vector<rows_of_task>& all);

/// For tasks that were put back and that later changes took out again: those changes name only the rows that the tables
/// had at their time. Removes what is left of such tasks.
void drop_rest(lmdb::transaction& txn, const tables& in, const std::vector<rows_of_task>& all);

/// Puts tasks into a copy of the tables that nobody else uses. Throws lmdb::error or store_error.
class copy_filler {
public:
  copy_filler(const std::filesystem::path& directory, std::uint64_t map_size);

  void add(const std::vector<rows_of_task>& all);
  /// Durable on return.
  void finish();

private:
  std::filesystem::path directory_;
  std::unique_ptr<lmdb::environment> env_;
};

} // namespace steadfast::store
