#pragma once

#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The entries of a table whose keys begin alike, in the order of their keys.

namespace steadfast::store {

/// Hands each of them to `use(cursor)`, from the key `from` on, until it says false. REQUIRES: it does not write.
template <class Use>
void each_with(const lmdb::transaction& txn, lmdb::table t, std::string_view prefix, std::string_view from, Use use) {
  lmdb::cursor c{txn, t};
  for (bool more = c.seek(from); more && c.key().starts_with(prefix) && use(c); more = c.next()) {
  }
}

inline bool has_any_with(const lmdb::transaction& txn, lmdb::table t, std::string_view prefix) {
  lmdb::cursor c{txn, t};
  return c.seek(prefix) && c.key().starts_with(prefix);
}

/// Copies, so that the entries can be erased.
inline std::vector<std::string> keys_with(const lmdb::transaction& txn, lmdb::table t, std::string_view prefix) {
  std::vector<std::string> keys;
  each_with(txn, t, prefix, prefix, [&](const lmdb::cursor& c) {
    keys.emplace_back(c.key());
    return true;
  });
  return keys;
}

/// The numbers at the end of their keys, from the key `from` on.
inline std::vector<std::uint64_t> numbers_with(const lmdb::transaction& txn, lmdb::table t, std::string_view prefix,
                                               std::string_view from, std::size_t max) {
  std::vector<std::uint64_t> numbers;
  if (max > 0)
    each_with(txn, t, prefix, from, [&](const lmdb::cursor& c) {
      numbers.push_back(last_number(c.key()));
      return numbers.size() < max;
    });
  return numbers;
}

} // namespace steadfast::store
