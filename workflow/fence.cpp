#include "workflow/fence.hpp"

#include <algorithm>

namespace steadfast::workflow {

bool fence::admits(std::uint64_t task_number, std::uint64_t epoch) {
  if (const auto known = places_.find(task_number); known != places_.end()) {
    auto& e = *known->second;
    if (epoch < e.epoch)
      return false;
    if (epoch > e.epoch)
      e.ended.clear();
    e.epoch = epoch;
    entries_.splice(entries_.begin(), entries_, known->second);
    return true;
  }
  if (entries_.size() >= tasks_max_) {
    places_.erase(entries_.back().task_number);
    entries_.pop_back();
  }
  entries_.push_front({task_number, epoch, {}});
  places_.emplace(task_number, entries_.begin());
  return true;
}

void fence::end(std::uint64_t task_number, std::uint64_t epoch, std::uint32_t step, std::uint32_t attempt) {
  const auto known = places_.find(task_number);
  if (known == places_.end() || known->second->epoch != epoch)
    return;
  auto& ended = known->second->ended;
  const auto found = std::find_if(ended.begin(), ended.end(), [&](const auto& x) { return x.first == step; });
  if (found == ended.end())
    ended.emplace_back(step, attempt);
  else
    found->second = std::max(found->second, attempt);
}

bool fence::has_ended(std::uint64_t task_number, std::uint32_t step, std::uint32_t attempt) const {
  const auto known = places_.find(task_number);
  return known != places_.end()
         && std::any_of(known->second->ended.begin(), known->second->ended.end(),
                        [&](const auto& x) { return x.first == step && x.second >= attempt; });
}

} // namespace steadfast::workflow
