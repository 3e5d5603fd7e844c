#pragma once

#include "store/postgres/reply.hpp"
#include "store/postgres/statement.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The rows of a partition: what its owner had in memory as of one of its commits, and the tasks that have left the
// memory since. The log has the rest. What keys and values mean, and which tables there are, is for the owner to know.
// Rows of an ended task that may leave the memory are marked with its number; all others are living rows.

namespace steadfast::store::postgres {

struct row_place {
  std::int64_t table = 0; ///< a number from 1
  std::string key;
};
struct row_change {
  row_place at;
  std::optional<std::string> value; ///< none: the row is removed
  std::int64_t ended = 0;           ///< number of the ended task to which it belongs; 0: it is living
};

/// May throw, which ends the reading. The views end with the call.
using row_user = std::function<void(std::int64_t table, std::string_view key, std::string_view value)>;

/// The name of the table with a partition's rows.
std::string kept_table(std::int64_t partition);

/// The commit that the rows are as of; no row: there was none yet.
statement statement_of_until(std::int64_t partition);
/// The living rows after that place, in order, as many as one answer should have.
statement statement_of_page(std::int64_t partition, const row_place& after);
/// Passes the rows on to `use`, and moves `after`. False: it was the last page.
bool use_page(const rows& page, row_place& after, const row_user& use);

/// They bring the rows to the state after commit `until`. The caller puts the fence first.
std::vector<statement> statements_to_keep(std::int64_t partition, const std::vector<row_change>& changes,
                                          std::int64_t until);
/// Removes the marked rows of these tasks.
statement statement_to_drop(std::int64_t partition, const std::vector<std::int64_t>& tasks);
/// Makes the rows of these tasks living again, except those in `leaving_tables`, which are removed.
std::vector<statement> statements_to_unmark(std::int64_t partition, const std::vector<std::int64_t>& tasks,
                                            const std::vector<std::int64_t>& leaving_tables);

// ---- marked rows ----

/// Where tasks are looked for: among marked rows of one table, each of which belongs to another task.
struct marked_range {
  std::int64_t table = 0;
  std::int64_t before = 0; ///< only tasks with a lower number; 0: ordered by the keys
  std::string from;        ///< keys from here up to but not including `end`, in the order of the tasks
  std::string end;
};
/// For the newest tasks in the range, at most `tasks`, the newest first: their rows in these tables.
statement statement_of_newest(std::int64_t partition, const marked_range& in, std::int64_t tasks,
                              const std::vector<std::int64_t>& of_tables);
/// All marked rows of these tasks.
statement statement_of_tasks(std::int64_t partition, const std::vector<std::int64_t>& tasks);
/// All marked rows of the tasks that have a marked row with one of these keys in that table.
statement statement_of_tasks_with(std::int64_t partition, std::int64_t table, const std::vector<std::string>& keys);
/// The numbers of the tasks to which any of these rows belongs, as a marked one.
statement statement_of_owners(std::int64_t partition, const std::vector<row_place>& of);
/// The keys of marked rows of a table from `from` up to but not including `end`, in order, without the tasks `but`.
statement statement_of_keys(std::int64_t partition, std::int64_t table, const std::string& from, const std::string& end,
                            std::int64_t most, const std::vector<std::int64_t>& but = {});
/// The same keys with their values.
statement statement_of_entries(std::int64_t partition, std::int64_t table, const std::string& from,
                               const std::string& end, std::int64_t most, const std::vector<std::int64_t>& but);
/// Which of these tasks have a marked row in that table: their numbers.
statement statement_of_those_there(std::int64_t partition, std::int64_t table, const std::vector<std::int64_t>& tasks);

/// A row that one of these statements found: columns ended, in_table, key, value.
struct marked_row {
  std::uint64_t task = 0;
  row_place at;
  std::string value;
};
std::vector<marked_row> marked_rows_in(const rows& found);

} // namespace steadfast::store::postgres
