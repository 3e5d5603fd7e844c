#pragma once

#include "store/contract/state_store.hpp"
#include "store/lmdb/snapshot.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace steadfast::store {

/// Tasks that are elsewhere, each of which was checked by itself.
struct checked_elsewhere {
  struct task {
    std::uint64_t number = 0;
    workflow::process_state state = workflow::process_state::processed;
    const std::string* workflow = nullptr; ///< one of `workflows`
  };
  std::vector<task> tasks; ///< in falling order of their numbers
  std::set<std::string> workflows;
  std::map<std::string, workflow::task> children; ///< by id: what a parent knows of them; without those of items
  check_report report;
  std::uint64_t damaged = 0; ///< that are not among these
};

/// Reads every record and every index entry that the transaction sees, and says which do not go together. Pages are not
/// looked at. `elsewhere`: what has left the tables; null: nothing has.
check_report check_records(const lmdb::transaction& txn, const tables& in, const snapshot& see,
                           const checked_elsewhere* elsewhere = nullptr);

} // namespace steadfast::store
