#pragma once

#include "store/verbs/tasks/decide_purge.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Which tasks must be read before a batch is decided, if ended tasks are kept elsewhere.

namespace steadfast::store {

struct needed_tasks {
  std::vector<std::string> ids;                                  ///< of tasks that may exist already
  std::vector<std::uint64_t> numbers;                            ///< of tasks that may change
  std::map<std::string, std::vector<const purge_ended*>> purges; ///< by workflow
  bool are_counted = false; ///< the number of tasks elsewhere: a task may be set aside, and its state is not known
};
needed_tasks needed_of(const write_list& batch);
/// How many tasks are named.
inline std::size_t count_of(const needed_tasks& all) {
  return all.ids.size() + all.numbers.size();
}

/// How many tasks elsewhere the purges of a workflow may look at, plus one that tells when the next is due. `there`:
/// how many ended tasks the workflow has at most, wherever they are. `left`: those elsewhere that come after
/// first_place, in the order of their ends.
std::size_t looked_at_by(const std::vector<const purge_ended*>& purges, std::uint64_t there,
                         const std::vector<ended_task>& left);
/// The most that looked_at_by can return.
std::size_t looked_at_max(const std::vector<const purge_ended*>& purges);
/// The first of the places from which the purges go on.
ended_position first_place(const std::vector<const purge_ended*>& purges);

} // namespace steadfast::store
