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
    const auto [mine, is_new] = deadlines_.try_emplace({task, step}, at);
    if (!is_new && mine->second == at)
      return;
    if (!is_new)
      ordered_.erase({std::exchange(mine->second, at), task, step});
    ordered_.insert({at, task, step});
  }

  void forget(std::uint64_t task) {
    auto mine = deadlines_.lower_bound({task, 0});
    while (mine != deadlines_.end() && mine->first.first == task) {
      ordered_.erase({mine->second, task, mine->first.second});
      mine = deadlines_.erase(mine);
    }
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
    const auto& first = *ordered_.begin();
    deadlines_.erase({first.task, first.step});
    ordered_.erase(ordered_.begin());
  }

  std::set<entry> ordered_;
  std::map<std::pair<std::uint64_t, std::size_t>, workflow::instant> deadlines_; ///< by task and step
};

} // namespace steadfast::actors
