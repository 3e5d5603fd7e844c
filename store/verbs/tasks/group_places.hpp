#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Which tasks of a group, that is with one key of a workflow's limit, may begin.

namespace steadfast::store {

/// One that has not begun. Who is first is told by the members in this order.
struct limit_member {
  std::uint8_t priority = 0;
  std::uint64_t number = 0;
  std::uint32_t tag = 0; ///< of its workflow
  std::uint32_t at_a_time = 0;

  friend auto operator<=>(const limit_member&, const limit_member&) = default;
};

/// Each begins if fewer others have a place than its version of the workflow says. Tasks under way have theirs until
/// they end, also if these are too many: of one that is undone after its end, or was taken in from another store.
struct group_places {
  std::size_t under_way = 0;
  std::vector<limit_member> admitted; ///< that have a place, and wait for a scheduler

  std::size_t taken() const { return under_way + admitted.size(); }
};

/// What is to be done next, until there is nothing: then those with a place are the first, and as many as may be.
struct place_change {
  enum class kind : std::uint8_t { give, take_back };
  kind what = kind::give;
  limit_member whose;

  friend bool operator==(const place_change&, const place_change&) = default;
};
/// `first`: of those without a place; absent: there is none.
std::optional<place_change> next_place_change(const group_places& now, const std::optional<limit_member>& first);

} // namespace steadfast::store
