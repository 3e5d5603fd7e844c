#pragma once

#include "store/contract/write.hpp"

#include <cstdint>
#include <vector>

namespace steadfast::store {

/// What is sent of an outcome beside its status; it stays as it is. A field has the meaning that the kind of the write
/// gives it.
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
/// But for the tasks, which are many: tasks_of.
outcome_fields fields_of(const outcome& x);
const std::vector<workflow::task>& tasks_of(const outcome& x);

} // namespace steadfast::store
