#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What the log of a partition holds: the newest record of each task that changed since its row was written.

namespace steadfast::store::postgres {

/// One commit is bounded, so that no other waits long behind it.
inline constexpr std::size_t append_records_max = 2000;
inline constexpr std::size_t append_bytes_max = std::size_t{4} << 20U;

/// To write.
struct log_entry {
  std::int64_t task = 0; ///< its number, from 1
  std::int64_t revision = 0;
  std::string_view record;
};

/// As it was read.
struct log_record {
  std::int64_t commit = 0; ///< in which it was written
  std::int64_t task = 0;
  std::int64_t revision = 0;
  std::string record;

  bool operator==(const log_record&) const = default;
};

/// Why these cannot be one commit; empty: they can.
std::string why_no_commit(const std::vector<log_entry>& entries);

/// Of each task the one that was written last, by task. A commit without a record left an entry of task 0, which counts
/// for nothing.
std::vector<log_record> last_of_each(std::vector<log_record> all);

} // namespace steadfast::store::postgres
