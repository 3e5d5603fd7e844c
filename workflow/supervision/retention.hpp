#pragma once

#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// When finished tasks leave the store. Only those that ended well do: a task in error needs a person.

namespace steadfast::workflow {

/// Which ended tasks of a workflow are kept. A task leaves when either says so; when neither is given, none does.
struct retention {
  std::optional<span> keep_for;              ///< so long after its end
  std::optional<std::uint64_t> keep_at_most; ///< so many of them, the ones that ended last

  friend bool operator==(const retention&, const retention&) = default;
};
bool keeps_all(const retention& r);

/// Whether a task in that state may leave at all.
bool may_leave(process_state s);

/// From when on a task that ended then has been kept for long enough; never: its age does not matter.
instant leaves_at(const retention& r, instant ended_at);

/// How many of so many ended tasks are too many: the oldest of them leave.
std::uint64_t surplus(const retention& r, std::uint64_t ended);

/// For all workflows of a store.
struct retention_rules {
  struct own {
    std::string workflow;
    retention keep;
  };
  retention others;           ///< of workflows that have no rule of their own
  std::vector<own> workflows; ///< takes the place of the rule for the others as a whole
};
bool keeps_all(const retention_rules& rules);
const retention& retention_of(const retention_rules& rules, std::string_view workflow);

/// What is wrong with them, a sentence each.
std::vector<std::string> problems(const retention_rules& rules);

/// When to look at a workflow again after all that was to leave did. `next`: when the next task will be too old, as far
/// as is known. How many tasks there are changes all the time, so a number to keep is looked at each period.
instant next_look(const retention& r, instant next, instant now, span period);

/// How long to leave the store alone after tasks were taken out of it, which took so long: what else is to be written
/// has most of its time, and the more of it the busier it is. `behind`: since when more were to leave than did; the
/// pauses become shorter with it, so that as many leave as end.
span pause_after(span took, span behind);

} // namespace steadfast::workflow
