#include "store/postgres/statement.hpp"

#include "store/contract/state_store.hpp"

namespace steadfast::store::postgres {
namespace {

// Of PostgreSQL's catalog pg_type.
constexpr std::uint32_t type_bytea = 17;
constexpr std::uint32_t type_int8 = 20;
constexpr std::uint32_t type_text = 25;
constexpr std::uint32_t type_bytea_array = 1001;
constexpr std::uint32_t type_int8_array = 1016;

void append_big_endian(std::string& to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i-- > 0;)
    to += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

/// One dimension, no nulls, the type of its elements, how many, the first has number 1.
std::string array_head(std::uint32_t type, std::size_t count) {
  std::string head;
  append_big_endian(head, count == 0 ? 0 : 1, 4);
  append_big_endian(head, 0, 4);
  append_big_endian(head, type, 4);
  if (count > 0) {
    append_big_endian(head, count, 4);
    append_big_endian(head, 1, 4);
  }
  return head;
}

} // namespace

parameter number(std::int64_t value) {
  parameter p{type_int8, {}};
  append_big_endian(p.bytes, static_cast<std::uint64_t>(value), 8);
  return p;
}

parameter text(std::string_view value) {
  return {type_text, std::string{value}};
}

parameter blob(std::string_view value) {
  return {type_bytea, std::string{value}};
}

parameter numbers(const std::vector<std::int64_t>& values) {
  parameter p{type_int8_array, array_head(type_int8, values.size())};
  for (const auto v : values) {
    append_big_endian(p.bytes, sizeof v, 4);
    append_big_endian(p.bytes, static_cast<std::uint64_t>(v), sizeof v);
  }
  return p;
}

parameter blobs(const std::vector<std::string_view>& values) {
  parameter p{type_bytea_array, array_head(type_bytea, values.size())};
  for (const auto v : values) {
    append_big_endian(p.bytes, v.size(), 4);
    p.bytes += v;
  }
  return p;
}

std::int64_t number_in(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes)
    value = value << 8U | static_cast<unsigned char>(c);
  switch (bytes.size()) {
    case 1: return static_cast<std::int64_t>(value);
    case 2: return static_cast<std::int16_t>(value);
    case 4: return static_cast<std::int32_t>(value);
    case 8: return static_cast<std::int64_t>(value);
    default: throw store_error{"the server answered with what is no number", false};
  }
}

} // namespace steadfast::store::postgres
