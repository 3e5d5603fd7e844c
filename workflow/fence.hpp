#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

namespace steadfast::workflow {

/// Remembers the highest epoch heard of for each of the tasks heard of last, so that an order from a scheduler that lost
/// the task is recognised. What it forgot is caught by the scheduler in office, which compares the epoch of each report.
class fence {
public:
  /// REQUIRES: tasks_max above 0.
  explicit fence(std::size_t tasks_max) : tasks_max_{tasks_max} {}

  /// False: a higher epoch of this task was heard of before. Otherwise it is remembered.
  bool admits(std::uint64_t task_number, std::uint64_t epoch);

  std::size_t size() const { return places_.size(); }

private:
  using entry = std::pair<std::uint64_t, std::uint64_t>; ///< task number, epoch

  std::size_t tasks_max_;
  std::list<entry> entries_; ///< the task heard of last comes first
  std::unordered_map<std::uint64_t, std::list<entry>::iterator> places_;
};

} // namespace steadfast::workflow
