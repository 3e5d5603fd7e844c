#pragma once

#include "store/lmdb/schema.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace steadfast::store {

/// What an id that came lately stands for.
struct recent_ref {
  std::uint64_t number = 0;                           ///< 0: it left
  std::optional<std::array<std::uint64_t, 2>> digest; ///< absent: its row is damaged
};
using recent_entry = std::pair<const std::string, recent_ref>;

/// Entries in the order of their ids: runs that are sorted by themselves are merged as they are read (Knuth, The Art of
/// Computer Programming 3, 5.4.1), so that no commit sorts more than one run. A small value; what it points at must
/// stay.
class ids_in_order {
public:
  using run = std::vector<const recent_entry*>;

  ids_in_order() = default;
  explicit ids_in_order(const std::vector<run>& sorted);

  bool empty() const { return runs_.empty(); }
  const recent_entry& first() const { return *runs_.front().front(); }
  void pop_first();

private:
  std::vector<std::span<const recent_entry* const>> runs_; ///< what is left of them; a heap, by their first entries
};

/// The ids that are not in table `ids` yet. Clients' ids come in no order, so that each would be a page of that table
/// to write; they are stored in the order in which they come, in table `recent_ids`, and found by an index in memory.
/// When enough have come, that generation is moved to table `ids` in the order of the ids, a few with each commit, so
/// that one page takes several, while the next one gathers; then its rows are dropped. O'Neil et al., "The
/// log-structured merge-tree", 1996. Holds only what was committed. Many may look, one may change. Memory: about 130
/// bytes for each of at most about twice generation_size ids.
class recent_ids {
public:
  explicit recent_ids(std::size_t generation_size) : generation_size_{generation_size} {}

  /// Reads what the table holds. Throws store_error when an id cannot be told any more.
  void load(const lmdb::transaction& txn, const tables& in, std::uint64_t last_task);

  /// Takes the place of what is here, at once for all who look. `other` is empty then.
  void replace(recent_ids& other);

  /// The number of the task. Absent: whoever looks into table `ids` after this will find it there, or nobody has that
  /// id.
  std::optional<std::uint64_t> find(const std::string& id) const;

  // ---- for the writer ----

  const ids_in_order& left() const { return left_; }   ///< of the generation that is being moved
  std::uint64_t moved_until() const { return until_; } ///< number of its last task; 0: there is no such generation

  /// What a commit did.
  struct changes {
    std::unordered_map<std::string, recent_ref> ids; ///< that came or left, as they are now
    std::vector<std::string> gone;                   ///< ids that left, whether they came again or not
    std::size_t arrived = 0;
    std::vector<const recent_entry*> moved; ///< the first ones of left()
    ids_in_order left;                      ///< without them
    bool has_dropped_all = false;           ///< no row of the generation that was moved is left
  };
  void take_over(const changes& committed, std::uint64_t last_task);

private:
  using index = std::unordered_map<std::string, recent_ref>;

  void gather(const std::string& id, const recent_ref& ref);
  void begin_to_move(std::uint64_t last_task);

  std::size_t generation_size_;
  mutable std::shared_mutex mutex_;
  index collecting_;
  std::vector<ids_in_order::run> collected_; ///< all of collecting_; sorted but for the last run
  index moving_;
  std::vector<ids_in_order::run> sorted_; ///< all that was in moving_
  ids_in_order left_;
  std::uint64_t until_ = 0;
};

} // namespace steadfast::store
