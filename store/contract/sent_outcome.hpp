#pragma once

#include "store/contract/write.hpp"

#include <cstdint>
#include <vector>

namespace steadfast::store {

/// What is sent of an outcome in addition to its status. The struct never changes, since older nodes read it. What a
/// field means depends on the kind of the write.
struct outcome_fields {
  bool created = false;
  std::uint64_t number = 0;
  std::uint64_t revision = 0;
  workflow::process_state state = workflow::process_state::pending;
  std::vector<workflow::task> tasks;
  workflow::instant next = workflow::never;
  bool more = false;
  ended_position reached;
};

outcome outcome_of(decision d, outcome_fields f);
/// Without the tasks, which can be many: see tasks_of.
outcome_fields fields_of(const outcome& x);
const std::vector<workflow::task>& tasks_of(const outcome& x);

} // namespace steadfast::store
