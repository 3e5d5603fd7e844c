#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steadfast::workflow {

/// One of the parts of a store, each of which is written by a thread of its own (docs/partitions.md). A task is in one
/// of them for all its life.
struct partition {
  std::uint32_t index = 0; ///< below `count`
  std::uint32_t count = 1;

  friend bool operator==(const partition&, const partition&) = default;
};
inline constexpr std::uint32_t partitions_max = 64;

/// What of an id says in which partition its task is: all before the first `/`, so that a task and its children are
/// together; of a task of a schedule the schedule's name. At most the bytes that every id of a child begins with.
std::string_view partition_key(std::string_view id);

/// The partition of that id: FNV-1a (Fowler, Noll, Vo, 1991) of its key, mixed as MurmurHash3 does at its end. Never to
/// be changed: tasks are where it said. REQUIRES: count > 0.
std::uint32_t partition_of(std::string_view id, std::uint32_t count);

/// What partitions count (tasks, alerts, and others) is numbered so that no two have the same number, and a number
/// tells its partition. `last`: the number that was given last; 0: none was.
constexpr std::uint64_t next_number(const partition& p, std::uint64_t last) {
  return last == 0 ? std::uint64_t{p.count} + p.index : last + p.count;
}
/// How many were given.
constexpr std::uint64_t given_until(std::uint64_t last, std::uint32_t count) {
  return last / count;
}
constexpr std::uint32_t partition_of_number(std::uint64_t number, std::uint32_t count) {
  return static_cast<std::uint32_t>(number % count);
}

} // namespace steadfast::workflow
