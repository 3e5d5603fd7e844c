#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <string_view>

namespace steadfast::store {

/// Where the indexes have a task. Two tasks with equal index positions have the same index entries.
struct index_position {
  workflow::process_state state = workflow::process_state::pending;
  workflow::instant due = workflow::never;
  bool is_claimable = false;
  std::uint8_t priority = 0;    ///< of a claimable task
  workflow::instant not_before; ///< of a claimable task
  std::string_view locked_by;   ///< ends with the task
  workflow::instant ended_at;   ///< of a task that ended well
  std::string_view workflow;    ///< of a claimable task, or one that ended well; ends with the task

  friend bool operator==(const index_position&, const index_position&) = default;
};
index_position index_position_of(const workflow::task& t, const workflow::definition& d);
bool names_workflow(const index_position& p);

} // namespace steadfast::store
