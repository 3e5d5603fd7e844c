#include "workflow/fence.hpp"

namespace steadfast::workflow {

bool fence::admits(std::uint64_t task_number, std::uint64_t epoch) {
  if (const auto known = places_.find(task_number); known != places_.end()) {
    if (epoch < known->second->second)
      return false;
    known->second->second = epoch;
    entries_.splice(entries_.begin(), entries_, known->second);
    return true;
  }
  if (entries_.size() >= tasks_max_) {
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
  entries_.emplace_front(task_number, epoch);
  places_.emplace(task_number, entries_.begin());
  return true;
}

} // namespace steadfast::workflow
