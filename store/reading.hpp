#pragma once

#include "store/lmdb_engine.hpp"

namespace steadfast::store {

template <class F>
auto lmdb_engine::read(F f) const {
  try {
    const auto txn = lmdb::transaction::reading(*env_);
    const snapshot see{txn, in_, definitions_};
    return f(txn, see);
  } catch (const lmdb::error& e) {
    throw store_error{std::string{"the store could not be read ("} + e.what() + ")", !e.is_passing()};
  }
}

/// The record, or nothing when it is damaged.
template <class T>
std::optional<T> readable(std::string_view key, std::string_view bytes) {
  try {
    return decode_record<T>(key, bytes);
  } catch (const damaged_record&) {
    return std::nullopt;
  }
}

} // namespace steadfast::store
