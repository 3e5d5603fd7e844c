#pragma once

#include "store/engine/lmdb_engine.hpp"

namespace steadfast::store {

template <class F>
auto lmdb_engine::read(F f) const {
  try {
    if (shared_->is_mine() && shared_->is_open()) {
      const std::lock_guard lock{writing_};
      try {
        const auto& txn = shared_->now();
        return f(txn, snapshot{txn, in_, committed_.definitions});
      } catch (const lmdb::error&) {
        shared_->drop(); // what was committed is in the journal
        throw;
      }
    }
    wait_for_save();
    const auto txn = lmdb::transaction::reading(*env_);
    const snapshot see{txn, in_, committed_.definitions};
    return f(txn, see);
  } catch (const lmdb::error& e) {
    throw store_error{std::string{"the store could not be read ("} + e.what() + ")", is_fatal(e)};
  }
}

template <class By, class F>
auto lmdb_engine::read_task(const By& by, F f) const {
  auto found = read(f);
  if (found || elsewhere_ == nullptr)
    return found;
  const auto left = elsewhere_->find(by);
  const auto rows = as_rows(left ? std::vector{*left} : std::vector<rows_of_task>{});
  return read([&](const lmdb::transaction& txn, const snapshot&) { // it may have come back meanwhile
    return f(txn, snapshot{txn, in_, committed_.definitions, &rows});
  });
}

} // namespace steadfast::store
