#pragma once

#include "store/postgres/reply.hpp"
#include "store/postgres/statement.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The rows of a partition: what its owner has in memory, as of one of its commits. The log has the rest. What a key and
// a value say, and which tables there are, is for the owner to know.

namespace steadfast::store::postgres {

struct row_place {
  std::int64_t table = 0; ///< a number from 1
  std::string key;
};
struct row_change {
  row_place at;
  std::optional<std::string> value; ///< none: it leaves
};

/// May throw, which ends the reading. The views end with the call.
using row_user = std::function<void(std::int64_t table, std::string_view key, std::string_view value)>;

/// Of a partition's rows.
std::string kept_table(std::int64_t partition);

/// The commit that the rows are of; no row: there was none yet.
statement statement_of_until(std::int64_t partition);
/// The rows after that place, in order, as many as one answer shall have.
statement statement_of_page(std::int64_t partition, const row_place& after);
/// Hands them on, and moves `after`. False: it was the last page.
bool use_page(const rows& page, row_place& after, const row_user& use);

/// To bring the rows to what they are after commit `until`. The caller puts the fence first.
std::vector<statement> statements_to_keep(std::int64_t partition, const std::vector<row_change>& changes,
                                          std::int64_t until);

} // namespace steadfast::store::postgres
