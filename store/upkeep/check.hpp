#pragma once

#include "store/contract/state_store.hpp"
#include "store/lmdb/snapshot.hpp"

namespace steadfast::store {

/// Reads every record and every index entry that the transaction sees, and says which do not go together. Pages are not
/// looked at.
check_report check_records(const lmdb::transaction& txn, const tables& in, const snapshot& see);

} // namespace steadfast::store
