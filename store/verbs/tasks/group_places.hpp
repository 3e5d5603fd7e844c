#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Which tasks of a group may begin. A group: the tasks with one key of a workflow's limit.

namespace steadfast::store {

/// A task that has not begun. Members are ordered by their fields, one after the other: the first is the next to begin.
struct limit_member {
  std::uint8_t priority = 0;
  std::uint64_t number = 0;
  std::uint32_t tag = 0; ///< of its workflow
  std::uint32_t at_a_time = 0;

  friend auto operator<=>(const limit_member&, const limit_member&) = default;
};

/// A task begins if fewer others have a place than its version of the workflow allows. Tasks under way keep theirs
/// until they end, even if these are too many: after the undo of an ended task, or an import from another store.
struct group_places {
  std::size_t under_way = 0;
  std::vector<limit_member> admitted; ///< they have a place, and wait for a scheduler

  std::size_t taken() const { return under_way + admitted.size(); }
};

/// The next change to make, until there is none: then the first members have the places, as many as are allowed.
struct place_change {
  enum class kind : std::uint8_t { give, take_back };
  kind what = kind::give;
  limit_member whose;

  friend bool operator==(const place_change&, const place_change&) = default;
};
/// `first`: the first member without a place; absent: there is none.
std::optional<place_change> next_place_change(const group_places& now, const std::optional<limit_member>& first);

} // namespace steadfast::store
