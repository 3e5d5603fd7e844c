#pragma once

#include "workflow/time/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace steadfast::actors {

/// Many deadlines with one delayed message, so that a deadline can be taken back and memory stays bounded (CAF cannot
/// cancel a delayed message). One deadline per task and step.
class due_queue {
public:
  struct entry {
    workflow::instant at;
    std::uint64_t task = 0;
    std::size_t step = 0;

    friend bool operator<(const entry& a, const entry& b) {
      return std::tie(a.at, a.task, a.step) < std::tie(b.at, b.task, b.step);
    }
  };

  due_queue() = default;
  due_queue(const due_queue&) = delete;
  due_queue& operator=(const due_queue&) = delete;

  /// Replaces the deadline of the task's step.
  void set(workflow::instant at, std::uint64_t task, std::size_t step) {
    auto& of_task = by_task_[task];
    if (of_task.size() <= step)
      of_task.resize(step + 1, ordered_.end());
    auto& mine = of_task[step];
    if (mine != ordered_.end() && mine->at == at)
      return;
    if (mine != ordered_.end())
      ordered_.erase(mine);
    mine = ordered_.insert(ordered_.end(), {at, task, step}); // most are added roughly in order
  }

  /// Whether any step of the task has a deadline.
  bool has(std::uint64_t task) const { return by_task_.contains(task); }

  void forget(std::uint64_t task) {
    const auto found = by_task_.find(task);
    if (found == by_task_.end())
      return;
    for (const auto& mine : found->second)
      if (mine != ordered_.end())
        ordered_.erase(mine);
    by_task_.erase(found);
  }

  /// Takes out all that is due.
  std::vector<entry> take_due(workflow::instant now) {
    std::vector<entry> due;
    while (!ordered_.empty() && ordered_.begin()->at <= now) {
      due.push_back(*ordered_.begin());
      erase_first();
    }
    return due;
  }

  workflow::instant next() const { return ordered_.empty() ? workflow::never : ordered_.begin()->at; }
  std::size_t size() const { return ordered_.size(); }

private:
  using in_order = std::set<entry>::iterator;

  void erase_first() {
    const auto first = ordered_.begin();
    const auto found = by_task_.find(first->task);
    found->second[first->step] = ordered_.end();
    if (std::all_of(found->second.begin(), found->second.end(), [&](in_order p) { return p == ordered_.end(); }))
      by_task_.erase(found);
    ordered_.erase(first);
  }

  std::set<entry> ordered_;
  std::unordered_map<std::uint64_t, std::vector<in_order>> by_task_; ///< for each step; end() if it has none
};

} // namespace steadfast::actors
