#include "store/lmdb/id_bits.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace steadfast::store {

namespace {

constexpr std::size_t ids_in_block = 16; ///< in a full one: of a thousand ids that are not there, one or two seem to be

/// One bit of each word. The factors: Apache Parquet, "Split block Bloom filter".
std::array<std::uint32_t, 8> bits_of(std::uint64_t hash) {
  constexpr std::array<std::uint32_t, 8> factors{0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                                 0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
  std::array<std::uint32_t, 8> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = std::uint32_t{1} << ((static_cast<std::uint32_t>(hash) * factors[i]) >> 27U);
  return bits;
}

} // namespace

id_bits::id_bits(std::size_t room) : room_{std::bit_ceil(std::max(room, ids_in_block))} {}

bool id_bits::may_have(std::string_view id) const {
  if (blocks_.empty())
    return false;
  const auto hash = XXH3_64bits(id.data(), id.size());
  const auto& b = blocks_[block_of(hash)];
  const auto bits = bits_of(hash);
  for (std::size_t i = 0; i < b.size(); ++i)
    if ((b[i] & bits[i]) == 0)
      return false;
  return true;
}

bool id_bits::add(std::string_view id) {
  if (blocks_.empty())
    blocks_.resize(room_ / ids_in_block);
  const auto hash = XXH3_64bits(id.data(), id.size());
  auto& b = blocks_[block_of(hash)];
  const auto bits = bits_of(hash);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] |= bits[i];
  return ++added_ <= room_;
}

} // namespace steadfast::store
