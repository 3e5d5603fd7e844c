#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

// The figures of runs.

namespace steadfast::simulation {

/// Lengths of time to three digits, so that those of millions of tasks take little room.
class durations {
public:
  void add(workflow::span length, std::uint64_t times = 1);
  void add(const durations& more);

  /// The shortest that `percent` of 100 do not exceed; 0: there are none.
  workflow::span percentile(std::uint32_t percent) const;
  std::uint64_t count() const { return count_; }
  const std::map<workflow::span, std::uint64_t>& all() const { return all_; } ///< how often each came

private:
  std::map<workflow::span, std::uint64_t> all_;
  std::uint64_t count_ = 0;
};

/// How one step of a workflow ended in all tasks. Calls are those that perform it, not undo and probe.
struct step_figures {
  std::uint64_t begun = 0; ///< tasks in which its service was called at least once
  std::uint64_t calls = 0;
  std::uint64_t calls_max = 0; ///< in one task
  std::uint64_t answered = 0;  ///< the other calls got no answer, or nobody waited for it any more
  std::uint64_t failed_for_now = 0;
  std::uint64_t failed_for_good = 0;
  std::uint64_t undone = 0;      ///< its compensation ran to its end
  std::uint64_t undo_failed = 0; ///< its compensation failed for good: a person is asked
  std::uint64_t stayed = 0;      ///< it is in place after its task's undo, since it has no compensation

  // Tasks that its service left so by breaking the contract.
  std::uint64_t doubled = 0; ///< processed, and it is in place more than once
  std::uint64_t missing = 0; ///< processed and completed, and it is not in place
  std::uint64_t left = 0;    ///< undone, and it is in place though it has a compensation
};
/// By workflow and step.
using figures_by_step = std::map<std::pair<std::string, std::string>, step_figures>;

/// Tasks that ended for the same reason.
struct cause_figures {
  std::uint64_t tasks = 0;
  std::string story; ///< of the one with the fewest attempts, as `task show --json` prints it; may be empty
  std::uint64_t story_attempts = 0;
  std::uint64_t story_seed = 0;
};
/// By workflow and cause, in which numbers are "N".
using figures_by_cause = std::map<std::pair<std::string, std::string>, cause_figures>;

void add(step_figures& to, const step_figures& more);
void add(cause_figures& to, const cause_figures& more);

} // namespace steadfast::simulation
