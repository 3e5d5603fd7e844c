#pragma once

#include "store/verbs/tasks/decide_purge.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Which tasks must be at hand before a batch is decided, where those that ended are kept elsewhere.

namespace steadfast::store {

struct needed_tasks {
  std::vector<std::string> ids;                                  ///< of tasks that may be there already
  std::vector<std::uint64_t> numbers;                            ///< of tasks that may change
  std::map<std::string, std::vector<const purge_ended*>> purges; ///< by workflow
  workflow::instant schedules_due{};                             ///< those that schedules make until then; unset: none
  bool are_counted = false; ///< how many there are elsewhere: a task may be set aside, whose state nobody knows
};
needed_tasks needed_of(const write_list& batch);
/// How many are named.
inline std::size_t count_of(const needed_tasks& all) {
  return all.ids.size() + all.numbers.size();
}

/// How many tasks elsewhere the purges of a workflow may look at, and one more, which tells when the next is due.
/// `there`: how many ended tasks the workflow has at most, wherever they are. `left`: those elsewhere behind the first
/// place from which a purge goes on, in the order of their ends.
std::size_t looked_at_by(const std::vector<const purge_ended*>& purges, std::uint64_t there,
                         const std::vector<ended_task>& left);
/// The most that it can be.
std::size_t looked_at_max(const std::vector<const purge_ended*>& purges);
/// That place.
ended_position first_place(const std::vector<const purge_ended*>& purges);

} // namespace steadfast::store
