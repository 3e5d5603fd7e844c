#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <string_view>

namespace steadfast::store {

/// With which others a task counts, and how many of them may be under way at a time.
struct limit_group {
  std::uint64_t number = 0; ///< of workflow, place and key (group_of); 0: it has no limit
  std::uint32_t at_a_time = 0;
  bool is_waiting = false;         ///< it is claimable, and begins when it has a place in its group
  bool is_under_way = false;       ///< it has one
  workflow::instant keeps_until{}; ///< it keeps its place so long, also when it has ended; unset: until it ends

  friend bool operator==(const limit_group&, const limit_group&) = default;
};
/// Two keys have the same only by a chance of 2^-63, and then count together. Its highest bit is set, which no number
/// of a task has.
std::uint64_t group_of(std::string_view workflow, std::string_view pointer, std::string_view key);

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
  limit_group group;

  friend bool operator==(const index_position&, const index_position&) = default;
};
index_position index_position_of(const workflow::task& t, const workflow::definition& d);
bool names_workflow(const index_position& p);

} // namespace steadfast::store
