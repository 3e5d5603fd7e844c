#include "store/lmdb/ready_tasks.hpp"

namespace steadfast::store {

namespace {

key key_of(const waiting_place& p) {
  return key{p.priority, p.tag, p.number};
}

waiting_place place_of(std::string_view ready_key) {
  key_reader k{ready_key};
  const auto priority = k.number<std::uint8_t>().value_or(0);
  const auto tag = k.number<std::uint32_t>().value_or(0);
  return {priority, tag, k.number<std::uint64_t>().value_or(0)};
}

} // namespace

workflow::instant ready_tasks::next_due() const {
  lmdb::cursor c{txn_, in_.delayed};
  return c.first() ? key_reader{c.key()}.instant().value_or(workflow::never) : workflow::never;
}

std::optional<waiting_place> ready_tasks::first(const waiting_place& from) const {
  lmdb::cursor c{txn_, in_.ready};
  return c.seek(key_of(from)) ? std::optional{place_of(c.key())} : std::nullopt;
}

std::vector<std::uint64_t> ready_tasks::numbers(const waiting_place& from, std::size_t max) const {
  std::vector<std::uint64_t> found;
  const key same{from.priority, from.tag};
  lmdb::cursor c{txn_, in_.ready};
  for (bool more = c.seek(key_of(from)); more && found.size() < max && c.key().starts_with(same.view());
       more = c.next())
    found.push_back(last_number(c.key()));
  return found;
}

} // namespace steadfast::store
