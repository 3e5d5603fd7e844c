#pragma once

#include "store/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace steadfast::store {

/// The ids that are not in table `ids` yet. Clients' ids come in no order, so that each would be a page of that table to write;
/// they are stored in the order in which they come, in table `recent_ids`, and found by an index in memory. When enough have
/// come, that generation is moved to table `ids` in the order of the ids, a few with each commit, so that one page takes
/// several, while the next one gathers; then its rows are dropped. O'Neil et al., "The log-structured merge-tree", 1996.
/// Holds only what was committed. Many may look, one may change. Memory: about 120 bytes for each of at most about
/// twice generation_size ids.
class recent_ids {
public:
  using index = std::map<std::string, std::uint64_t>; ///< the client's id -> number

  explicit recent_ids(std::size_t generation_size) : generation_size_{generation_size} {}

  /// Reads what the table holds. Throws store_error when an id cannot be told any more.
  void load(const lmdb::transaction& txn, const tables& in, std::uint64_t last_task);

  /// The number of the task. Absent: whoever looks into table `ids` after this will find it there, or nobody has that id.
  std::optional<std::uint64_t> find(const std::string& id) const;

  // ---- for the writer ----

  const index& moving() const { return moving_; }      ///< the generation that is being moved: what is left of it
  std::uint64_t moved_until() const { return until_; } ///< number of its last task; 0: there is no such generation

  /// What a commit did.
  struct changes {
    std::unordered_map<std::string, std::optional<std::uint64_t>> ids; ///< that came; absent: that left
    std::size_t arrived = 0;
    std::size_t moved = 0;        ///< the first ones of moving()
    bool has_dropped_all = false; ///< no row of the generation that was moved is left
  };
  void take_over(const changes& committed, std::uint64_t last_task);

private:
  void begin_to_move(std::uint64_t last_task);

  std::size_t generation_size_;
  mutable std::shared_mutex mutex_;
  index gathering_;
  index moving_;
  std::uint64_t until_ = 0;
};

} // namespace steadfast::store
