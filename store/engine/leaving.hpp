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

// Tasks that ended leave the tables of a store that keeps them elsewhere, and come back into them.

namespace steadfast::store {

/// A row of a table, which is told by its place in all_tables, from 1.
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

/// Of tasks, leaving or not.
template <class Tasks>
std::vector<std::uint64_t> numbers_of(const Tasks& all) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(all.size());
  for (const auto& t : all)
    numbers.push_back(t.number);
  return numbers;
}

/// What there is of a task besides its own rows.
kept_of_ended kept_of(const lmdb::transaction& txn, const tables& in, const workflow::task& t);

/// As it was when its rows were copied.
struct leaving_task {
  std::uint64_t number = 0;
  std::string id;
  std::string workflow;
  kept_index_position place;
  std::uint64_t record = 0; ///< hash of its record, which changes with whatever changes of it but its items
  /// That are elsewhere from now on, in the order of tables and keys: those of table `ids`, whether its id is there
  /// yet, and of those lists by which it is found there. That of list `ended` has the number of its parent as value.
  std::vector<stored_row> rows;
};
/// Those that may leave, from that key of table `ended` on, up to bounds of a few thousand tasks and some MB.
struct leaving_tasks {
  std::vector<leaving_task> tasks;
  std::uint64_t staying = 0; ///< that were looked at and may not leave
  std::string next;          ///< key to go on from; empty: from the first
};
/// Damaged ones stay. `definitions` must only ever see what is committed.
leaving_tasks tasks_to_leave(const lmdb::transaction& txn, const tables& in, definition_cache& definitions,
                             const std::string& from);

/// Tasks that were elsewhere, as the tables have them now.
struct tasks_again {
  std::vector<stored_row> rows;          ///< of those that can be read
  std::vector<std::uint64_t> unreadable; ///< damaged, or set aside: their rows are as they were
};
tasks_again tasks_as_they_are(const lmdb::transaction& txn, const tables& in, definition_cache& definitions,
                              const std::vector<std::uint64_t>& numbers);

/// What the list of ended tasks says of it elsewhere: the number of its parent; empty: it has none, or that is not
/// known.
std::string parent_in_list(const workflow::task& t);

/// Takes a task out of the tables. False: it has changed since, and nothing was done.
bool take_out(lmdb::transaction& txn, const tables& in, const leaving_task& t);

/// Whether a task that is elsewhere has rows of that table there, but for its lists.
bool is_of_task_elsewhere(std::uint64_t table);
/// Whether that is a list, of which there are rows only for tasks that are elsewhere.
bool is_list_elsewhere(std::uint64_t table);
/// All of these.
std::vector<std::uint64_t> lists_elsewhere();

/// Puts the rows of tasks into the tables, and them into the lists. Returns those that cannot be read, which are in no
/// list.
damaged_tasks put_back(lmdb::transaction& txn, const tables& in, const std::vector<rows_of_task>& all);

/// Of those that were put back, and were taken out by changes since then that name the rows that the tables had at that
/// time: what is left of them goes.
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
