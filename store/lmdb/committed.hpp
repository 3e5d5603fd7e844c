#pragma once

#include "store/lmdb/recent_ids.hpp"
#include "store/lmdb/snapshot.hpp"
#include "store/records/stored.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace steadfast::store {

/// Numbers of the alerts that tell of it, from when it is met until new work was taken and somebody has acknowledged
/// them; 0: none.
struct full_alerts {
  std::uint64_t of_pages = 0;
  std::uint64_t of_disk = 0;
};

/// Names of events for which a step of some workflow waits, as they were met. For one writer.
class known_events {
public:
  bool knows(const std::string& name) const { return names_.contains(name); }
  void learn(const std::string& name) { names_.insert(name); }

private:
  std::set<std::string> names_; ///< bounded by the workflows
};

/// What is kept in memory of what was committed. One may change it; `recent`, `definitions` and `damage` may be used by
/// many.
struct committed {
  explicit committed(std::size_t recent_ids_max) : recent{recent_ids_max} {}

  /// What the tables say; but for `recent`. Throws damaged_record.
  void load(const lmdb::transaction& txn, const tables& in);

  counters count;
  ended_counts ended;
  endings_by_workflow endings;
  full_alerts alerts;
  recent_ids recent;
  mutable definition_cache definitions; ///< whoever reads adds to it
  mutable damage_log damage;            ///< likewise
  mutable known_events events_known;    ///< the writer adds to it
};

} // namespace steadfast::store
