#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// A set of ids that says of nearly every id that is not in it that it is not. Bloom, "Space/time trade-offs in hash
/// coding with allowable errors", 1970; all bits of an id are in one block: Putze, Sanders, Singler, "Cache-, hash- and
/// space-efficient Bloom filters", 2007. Memory: 2 bytes for each id for which there is room.
class id_bits {
public:
  /// Room for so many at least.
  explicit id_bits(std::size_t room);

  bool may_have(std::string_view id) const;
  /// False: there are more than there is room for, and it says "maybe" ever more often.
  bool add(std::string_view id);

  std::size_t room() const { return room_; }
  std::size_t added() const { return added_; }

  static constexpr std::size_t room_max = std::size_t{1} << 25U; ///< 64 MiB

private:
  using block = std::array<std::uint32_t, 8>;

  std::uint64_t block_of(std::uint64_t hash) const { return (hash >> 32U) & (blocks_.size() - 1); }

  std::size_t room_;
  std::size_t added_ = 0;
  std::vector<block> blocks_; ///< a power of two of them; none: nothing was added
};

} // namespace steadfast::store
