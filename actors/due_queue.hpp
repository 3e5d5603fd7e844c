#pragma once

#include "workflow/time.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// What will be due when: many deadlines behind one delayed message, so that a deadline can be taken back and memory
/// stays bounded (CAF cannot cancel a delayed message). One deadline per task and step.
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

  /// Replaces the deadline of the task's step.
  void set(workflow::instant at, std::uint64_t task, std::size_t step) {
    auto& mine = by_task_[task];
    if (const auto old = mine.find(step); old != mine.end())
      ordered_.erase({old->second, task, step});
    mine[step] = at;
    ordered_.insert({at, task, step});
  }

  void forget(std::uint64_t task) {
    const auto mine = by_task_.find(task);
    if (mine == by_task_.end())
      return;
    for (const auto& [step, at] : mine->second)
      ordered_.erase({at, task, step});
    by_task_.erase(mine);
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
  void erase_first() {
    const auto first = *ordered_.begin();
    ordered_.erase(ordered_.begin());
    const auto mine = by_task_.find(first.task);
    mine->second.erase(first.step);
    if (mine->second.empty())
      by_task_.erase(mine);
  }

  std::set<entry> ordered_;
  std::map<std::uint64_t, std::map<std::size_t, workflow::instant>> by_task_;
};

} // namespace steadfast::actors
