#include "store/lmdb/id_filter.hpp"

#include <bit>

namespace steadfast::store {

id_filter::id_filter(std::size_t first) : bits_{first} {}

bool id_filter::may_have(std::string_view id) const {
  return !read_.is_end || bits_.may_have(id);
}

void id_filter::add(std::string_view id) {
  if (bits_.room() <= id_bits::room_max && !bits_.add(id))
    begin_anew(bits_.room() * 4);
}

void id_filter::begin_anew(std::size_t room) {
  bits_ = id_bits{room};
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
  if (!read_.is_end && read_.until.empty() && txn.entries(in.ids) > bits_.room())
    begin_anew(std::bit_ceil(txn.entries(in.ids) * 2));
  if (read_.is_end || bits_.room() > id_bits::room_max)
    return;
  lmdb::cursor c{txn, in.ids};
  bool more = c.seek(read_.until);
  if (more && c.key() == read_.until)
    more = c.next();
  const auto room = bits_.room();
  for (; more && rows_max > 0 && room == bits_.room(); more = c.next(), --rows_max) {
    read_.until = c.key();
    add(read_.until); // may begin again
  }
  read_.is_end = !more && room == bits_.room();
}

} // namespace steadfast::store
