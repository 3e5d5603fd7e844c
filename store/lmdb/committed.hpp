#pragma once

#include "store/contract/write.hpp"
#include "store/lmdb/recent_ids.hpp"
#include "store/lmdb/snapshot.hpp"
#include "store/outline/unfinished_tasks.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/decide_event.hpp"
#include "workflow/supervision/node_card.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace steadfast::store {

/// Numbers of the alerts that tell of it, from when it is met until new work was taken and somebody has acknowledged
/// them; 0: none.
struct full_alerts {
  std::uint64_t of_pages = 0;
  std::uint64_t of_disk = 0;
};

/// What the stored workflows need, which are kept for ever: read once, and then learnt of each that is added. For one
/// writer.
class needs_of_workflows {
public:
  bool are_known() const { return are_known_; }
  void read_all(const lmdb::transaction& txn, const tables& in);
  void learn(const workflow::definition& d);

  const awaited_events& events() const { return events_; }
  workflow::knowledge of_nodes() const { return of_nodes_; }

private:
  bool are_known_ = false;
  awaited_events events_;
  workflow::knowledge of_nodes_ = workflow::knowledge::none;
};

/// What is kept in memory of what was committed. One may change it; `recent`, `definitions`, `damage` and `unfinished`
/// may be used by many.
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
  mutable needs_of_workflows needs;     ///< the writer adds to it
  mutable unfinished_tasks unfinished;  ///< whoever reads goes on to count them
};

} // namespace steadfast::store
