#pragma once

#include "workflow/transition/draft.hpp"

#include <string>
#include <string_view>

// Steps that wait instead of having an agent carry them out. docs/decisions/0007-waiting.md

namespace steadfast::workflow {

/// Begins the wait of step `i`; passes it if it is over already; turns the task round if nobody can say how long it is.
/// Does nothing if the payload that it depends on was not read: then the task's scheduler has it.
void begin_wait(draft& x, std::size_t i);

/// What step `i` waited for has come. `note` is for its story.
void pass_wait(draft& x, std::size_t i, blob result, std::vector<fact> facts, std::string_view note);

/// The time of step `i` has come: the wait is over, or was in vain, or somebody is reminded.
void end_wait(draft& x, std::size_t i);

/// Takes step `i` back to where it was before its wait. REQUIRES: it waits.
void stop_wait(draft& x, std::size_t i, std::string_view why);

/// Step `i` failed for good while it waited: turns the task round.
void fail_wait(draft& x, std::size_t i, std::string why);

/// The child of step `i` must be undone: the store tells it, and the step is `compensating` until the child has ended.
void begin_undo_of_child(draft& x, std::size_t i);

} // namespace steadfast::workflow
