#pragma once

#include "workflow/transition/draft.hpp"

#include <string>

// How a task goes on: forward, back, or to its end.

namespace steadfast::workflow {

/// Turns the task round: from now on what happened is reversed.
void begin_undo(draft& x, std::string cause);

/// Stops the task where it is, and asks a person.
void enter_error(draft& x, std::string cause, std::string alert_kind = "error");

/// Gives up the lock if nothing is in flight, so that any scheduler may go on.
void release_if_idle(draft& x);
void release_lock(draft& x);

/// Gives up the lock also if nothing can be started for a while: the task waits for that in the store, and takes no
/// place of its scheduler.
void release_until_due(draft& x);

/// For a task that no scheduler has: sets when one may take it, by what its steps wait for now.
void queue_again(draft& x);

/// Starts what is ready, skips what is not wanted, ends the task if nothing is left. Starts nothing without a lock.
void advance(draft& x);

} // namespace steadfast::workflow
