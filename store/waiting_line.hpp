#pragma once

#include "store/lmdb.hpp"
#include "store/schema.hpp"
#include "store/state_store.hpp"
#include "workflow/supervision/fair_share.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace steadfast::store {

/// Who of those in table `ready` is next for a scheduler: by priority, then by the shares of their workflows, then by
/// age. Looks at about as many entries as it gives, however many wait; and of the workflows at that many, and at those
/// that have their share.
class waiting_line {
public:
  /// For up to `max` tasks. REQUIRES: transaction and claim outlive it.
  waiting_line(const lmdb::transaction& txn, lmdb::table ready, const claim_tasks& w, std::size_t max);

  /// Counts as taken. The caller may take it out of the table.
  std::optional<std::uint64_t> next();

private:
  /// The tasks of a workflow with the present priority, as far as they were looked at.
  struct lane {
    std::uint32_t tag = 0;
    std::vector<std::uint64_t> numbers; ///< the oldest last
    std::uint64_t behind = 0;           ///< the last one that was looked at
  };

  bool open_level();
  void gather(lmdb::cursor& c, std::uint32_t first, std::uint32_t last);
  bool refill(lane& x);
  void close_lanes();

  const lmdb::transaction& txn_;
  lmdb::table ready_;
  std::size_t left_;
  workflow::places places_;
  std::map<std::uint32_t, std::uint64_t> loads_; ///< by tag
  std::uint32_t turn_;                           ///< who comes behind this one is first among equals
  unsigned level_ = 0;                           ///< the next priority to be looked at
  std::uint8_t priority_ = 0;                    ///< of the lanes
  std::vector<lane> lanes_;                      ///< of those that may take something, in their turns
  std::vector<std::uint64_t> lane_loads_;        ///< likewise
};

} // namespace steadfast::store
