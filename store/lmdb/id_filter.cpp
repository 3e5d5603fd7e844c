#include "store/lmdb/id_filter.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace steadfast::store {

namespace {

constexpr std::size_t room_max = std::size_t{1} << 25U;
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

id_filter::id_filter(std::size_t first) : room_{std::bit_ceil(std::max(first, ids_in_block))} {}

bool id_filter::may_have(std::string_view id) const {
  if (!read_.is_end)
    return true;
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

void id_filter::add(std::string_view id) {
  if (room_ > room_max)
    return;
  if (blocks_.empty())
    blocks_.resize(room_ / ids_in_block);
  const auto hash = XXH3_64bits(id.data(), id.size());
  auto& b = blocks_[block_of(hash)];
  const auto bits = bits_of(hash);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] |= bits[i];
  if (++added_ > room_)
    begin_anew(room_ * 4);
}

void id_filter::begin_anew(std::size_t room) {
  room_ = room;
  added_ = 0;
  blocks_ = {};
  read_ = kept_ = {};
}

void id_filter::keep_position() {
  if (kept_.until != read_.until || kept_.is_end != read_.is_end)
    kept_ = read_;
}

void id_filter::drop_position() {
  read_ = kept_;
}

void id_filter::read_on(const lmdb::transaction& txn, const tables& in, std::size_t rows_max) {
  if (!read_.is_end && read_.until.empty() && txn.entries(in.ids) > room_)
    begin_anew(std::bit_ceil(txn.entries(in.ids) * 2));
  if (read_.is_end || room_ > room_max)
    return;
  lmdb::cursor c{txn, in.ids};
  bool more = c.seek(read_.until);
  if (more && c.key() == read_.until)
    more = c.next();
  const auto room = room_;
  for (; more && rows_max > 0 && room == room_; more = c.next(), --rows_max) {
    read_.until = c.key();
    add(read_.until); // may begin again
  }
  read_.is_end = !more && room == room_;
}

} // namespace steadfast::store
