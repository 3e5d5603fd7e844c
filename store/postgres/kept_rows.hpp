#pragma once

#include "store/postgres/reply.hpp"
#include "store/postgres/statement.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The rows of a partition: what its owner has in memory, as of one of its commits, and what has left it since. The log
// has the rest. What a key and a value say, and which tables there are, is for the owner to know. Rows of a task that
// ended, and may leave the memory, are marked by its number; all others are living.

namespace steadfast::store::postgres {

struct row_place {
  std::int64_t table = 0; ///< a number from 1
  std::string key;
};
struct row_change {
  row_place at;
  std::optional<std::string> value; ///< none: it leaves
  std::int64_t ended = 0;           ///< number of the ended task that it is part of; 0: it is living
};

/// May throw, which ends the reading. The views end with the call.
using row_user = std::function<void(std::int64_t table, std::string_view key, std::string_view value)>;

/// Of a partition's rows.
std::string kept_table(std::int64_t partition);

/// The commit that the rows are of; no row: there was none yet.
statement statement_of_until(std::int64_t partition);
/// The living rows after that place, in order, as many as one answer shall have.
statement statement_of_page(std::int64_t partition, const row_place& after);
/// Hands them on, and moves `after`. False: it was the last page.
bool use_page(const rows& page, row_place& after, const row_user& use);

/// To bring the rows to what they are after commit `until`. The caller puts the fence first.
std::vector<statement> statements_to_keep(std::int64_t partition, const std::vector<row_change>& changes,
                                          std::int64_t until);
/// The marked rows of these tasks leave.
statement statement_to_drop(std::int64_t partition, const std::vector<std::int64_t>& tasks);
/// They are living again, but for those in these tables, which leave.
std::vector<statement> statements_to_unmark(std::int64_t partition, const std::vector<std::int64_t>& tasks,
                                            const std::vector<std::int64_t>& leaving_tables);

// ---- marked rows ----

/// Where tasks are looked for: at marked rows of a table, of which each is of another task.
struct marked_range {
  std::int64_t table = 0;
  std::int64_t before = 0; ///< by the numbers of the tasks; 0: by the keys
  std::string from;        ///< the keys from here to before `end`, which have the order of the tasks
  std::string end;
};
/// The rows in these tables of so many tasks that the range has, the newest first.
statement statement_of_newest(std::int64_t partition, const marked_range& in, std::int64_t tasks,
                              const std::vector<std::int64_t>& of_tables);
/// All marked rows of these tasks.
statement statement_of_tasks(std::int64_t partition, const std::vector<std::int64_t>& tasks);
/// All marked rows of the tasks that have a marked row with one of these keys in that table.
statement statement_of_tasks_with(std::int64_t partition, std::int64_t table, const std::vector<std::string>& keys);
/// The numbers of the tasks of which one of these rows is a marked one.
statement statement_of_owners(std::int64_t partition, const std::vector<row_place>& of);
/// The keys of marked rows of a table from `from` to before `end`, in order, without those of the tasks `but`.
statement statement_of_keys(std::int64_t partition, std::int64_t table, const std::string& from, const std::string& end,
                            std::int64_t most, const std::vector<std::int64_t>& but = {});
/// The same with their values.
statement statement_of_entries(std::int64_t partition, std::int64_t table, const std::string& from,
                               const std::string& end, std::int64_t most, const std::vector<std::int64_t>& but);
/// Those of these tasks that have a marked row in that table: their numbers.
statement statement_of_those_there(std::int64_t partition, std::int64_t table, const std::vector<std::int64_t>& tasks);

/// A row that such a statement found: columns ended, in_table, key, value.
struct marked_row {
  std::uint64_t task = 0;
  row_place at;
  std::string value;
};
std::vector<marked_row> marked_rows_in(const rows& found);

} // namespace steadfast::store::postgres
