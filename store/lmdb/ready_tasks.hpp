#pragma once

#include "store/lmdb/schema.hpp"
#include "store/verbs/tasks/waiting_line.hpp"

namespace steadfast::store {

/// Tables `ready` and `delayed`.
class ready_tasks : public waiting_tasks {
public:
  /// REQUIRES: transaction and tables outlive it.
  ready_tasks(const lmdb::transaction& txn, const tables& in) : txn_{txn}, in_{in} {}

  std::uint64_t count() const override { return txn_.entries(in_.ready); }
  workflow::instant next_due() const override;
  std::optional<waiting_place> first(const waiting_place& from) const override;
  std::vector<std::uint64_t> numbers(const waiting_place& from, std::size_t max) const override;

private:
  const lmdb::transaction& txn_;
  const tables& in_;
};

} // namespace steadfast::store
