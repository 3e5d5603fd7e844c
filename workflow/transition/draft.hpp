#pragma once

#include "workflow/transition/transition.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// A transition in the making: the next task and what must be committed with it. Used by the rules only.
struct draft {
  const definition& d;
  instant now;
  task t;
  std::vector<notice> notices;
  std::vector<alert> alerts;
  bool starts_nothing = false; ///< its scheduler is about to stop

  const step_definition& definition_of(std::size_t i) const { return d.steps[i]; }
};

/// Adds progress for the observer, if there is one.
void tell_observer(draft& x, notice_kind kind, std::string text = {}, std::string step = {});
void raise_alert(draft& x, std::string kind, std::string text, std::string step = {});

/// Ends the open attempt of step `i` in the step's story.
void close_attempt(draft& x, std::size_t i, attempt_outcome outcome, std::string_view note = {});

/// After an attempt whose service has not said how it ended: it may act until complete-by, and its messages for the grace after.
void settle_later(draft& x, step& s);

/// The step as it is before its next attempt: unknown if an earlier one may have acted.
void back_to_start(step& s);

/// Lets step `i` wait until `until`, for the reason given.
void let_wait(step& s, instant until, std::string why);

/// Turns the task round: from now on what happened is reversed.
void begin_undo(draft& x, std::string cause);

/// Stops where it is and asks a person.
void enter_error(draft& x, std::string cause, std::string alert_kind = "error");

/// Gives up the lock if nothing is in flight, so that any scheduler may go on.
void release_if_idle(draft& x);
void release_lock(draft& x);

/// The same if nothing can be started for a while either: the task waits for that in the store and takes no place of its scheduler.
void release_until_due(draft& x);

/// Starts what is ready, skips what is not wanted, ends the task when nothing is left. Starts nothing without a lock.
void advance(draft& x);

} // namespace steadfast::workflow
