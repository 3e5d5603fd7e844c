#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steadfast::workflow {

/// One of the parts of a store, each of which is written by its own thread (docs/partitions.md). A task stays in one
/// partition all its life.
struct partition {
  std::uint32_t index = 0; ///< below `count`
  std::uint32_t count = 1;

  friend bool operator==(const partition&, const partition&) = default;
};
inline constexpr std::uint32_t partitions_max = 64;

/// The part of an id that decides the partition of its task: all before the first `/`, so that a task and its children
/// are together; for a task of a schedule, the schedule's name. At most the bytes that all ids of children keep.
std::string_view partition_key(std::string_view id);

/// The partition of that id: FNV-1a (Fowler, Noll, Vo, 1991) of its key, mixed like MurmurHash3 at its end. Must never
/// change: tasks are where it put them. REQUIRES: count > 0.
std::uint32_t partition_of(std::string_view id, std::uint32_t count);

/// What partitions number (tasks, alerts and others) gets numbers such that no two partitions give the same one, and a
/// number tells its partition. `last`: the last number that was given; 0: none yet.
constexpr std::uint64_t next_number(const partition& p, std::uint64_t last) {
  return last == 0 ? std::uint64_t{p.count} + p.index : last + p.count;
}
/// How many numbers were given.
constexpr std::uint64_t given_until(std::uint64_t last, std::uint32_t count) {
  return last / count;
}
constexpr std::uint32_t partition_of_number(std::uint64_t number, std::uint32_t count) {
  return static_cast<std::uint32_t>(number % count);
}

} // namespace steadfast::workflow
