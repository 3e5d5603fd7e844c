#pragma once

#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// When ended tasks leave the store. Only those that ended well do: a task in error needs a person.

namespace steadfast::workflow {

/// Which ended tasks of a workflow are kept. A task leaves when either field says so; if neither is set, none leaves.
struct retention {
  std::optional<span> keep_for;              ///< how long after its end
  std::optional<std::uint64_t> keep_at_most; ///< how many of them, the ones that ended last

  friend bool operator==(const retention&, const retention&) = default;
};
bool keeps_all(const retention& r);

/// Whether a task in that state may leave at all.
bool may_leave(process_state s);

/// When a task that ended at `ended_at` has been kept long enough; never: its age does not matter.
instant leaves_at(const retention& r, instant ended_at);

/// How many of `ended` ended tasks are too many: the oldest of them leave.
std::uint64_t surplus(const retention& r, std::uint64_t ended);

/// For all workflows of a store.
struct retention_rules {
  struct own {
    std::string workflow;
    retention keep;
  };
  retention others;           ///< of workflows that have no rule of their own
  std::vector<own> workflows; ///< each replaces the rule for the others as a whole
};
bool keeps_all(const retention_rules& rules);
const retention& retention_of(const retention_rules& rules, std::string_view workflow);

/// What is wrong with the rules, one sentence each.
std::vector<std::string> problems(const retention_rules& rules);

/// When to look at a workflow again once all that were due to leave have left. `next`: when the next task becomes too
/// old, as far as is known. The number of tasks changes all the time, so a limit on it is checked each period.
instant next_look(const retention& r, instant next, instant now, span period);

/// How long to leave the store alone after tasks were removed from it, which took `took`: other writes get most of its
/// time, and the more of it the busier it is. `behind`: how long more tasks have been due to leave than did; it
/// shortens the pauses, so that as many leave as end.
span pause_after(span took, span behind);

} // namespace steadfast::workflow
