#pragma once

#include "store/schema.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steadfast::store {

/// Where the indexes have a task. Two tasks with equal placements have the same index entries.
struct placement {
  workflow::process_state state = workflow::process_state::pending;
  workflow::instant due = workflow::never;
  bool is_claimable = false;
  std::uint8_t priority = 0;    ///< of a claimable task
  workflow::instant not_before; ///< of a claimable task
  std::string_view locked_by;   ///< ends with the task
  workflow::instant ended_at;   ///< of a task that ended well
  std::string_view workflow;    ///< of a claimable task, or one that ended well; ends with the task

  friend bool operator==(const placement&, const placement&) = default;
};
placement placement_of(const workflow::task& t, const workflow::definition& d);
bool names_workflow(const placement& p);

/// Where it waits to be claimed. Each touches only the entries in which the two differ.
void move_in_queue(lmdb::transaction& txn, const tables& in, std::uint64_t number, const placement& from,
                   const placement& to);

/// All other indexes.
void add_to_lists(lmdb::transaction& txn, const tables& in, std::uint64_t number, const placement& p);
void move_in_lists(lmdb::transaction& txn, const tables& in, std::uint64_t number, const placement& from,
                   const placement& to);

void remove_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number, const placement& p);

/// For a task that cannot be read: looks for its number in every index.
void purge_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number);

/// Claimable tasks whose time has come go from `delayed` to `ready`, at most `max`, the earliest first.
void promote_due(lmdb::transaction& txn, const tables& in, workflow::instant now, std::size_t max);

} // namespace steadfast::store
