#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

namespace steadfast::workflow {

/// Remembers, for the tasks it heard of last, the highest epoch, so that an order from a scheduler that lost the task
/// is recognised; and the attempts that ended under that epoch, so that an order repeated by the network is recognised.
/// What it has forgotten is caught by the current scheduler, which compares the epoch of each report.
class fence {
public:
  /// REQUIRES: tasks_max above 0.
  explicit fence(std::size_t tasks_max) : tasks_max_{tasks_max} {}

  /// False: a higher epoch of this task was seen before. Otherwise the epoch is remembered.
  bool admits(std::uint64_t task_number, std::uint64_t epoch);

  /// That attempt has ended here, or was declined. REQUIRES: admits() returned true for this epoch, now or earlier.
  void end(std::uint64_t task_number, std::uint64_t epoch, std::uint32_t step, std::uint32_t attempt);
  /// Whether end() was called for it, or for a later attempt of the step, under the highest epoch.
  bool has_ended(std::uint64_t task_number, std::uint32_t step, std::uint32_t attempt) const;

  std::size_t size() const { return places_.size(); }

private:
  struct entry {
    std::uint64_t task_number = 0;
    std::uint64_t epoch = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ended; ///< step, its last attempt that ended
  };

  std::size_t tasks_max_;
  std::list<entry> entries_; ///< the task heard of last is first
  std::unordered_map<std::uint64_t, std::list<entry>::iterator> places_;
};

} // namespace steadfast::workflow
