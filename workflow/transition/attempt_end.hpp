#pragma once

#include "workflow/transition/draft.hpp"

// What the end of an attempt means for its step, whoever reported it.

namespace steadfast::workflow {

/// There was progress: the scheduler of the task is not what keeps it from moving.
void note_progress(draft& x, step& s);

/// One more attempt of the round failed: wait and try again, or leave it to the supervisor.
void count_try(draft& x, std::size_t i, span at_least);

const retry_policy& retry_of(const draft& x, std::size_t i);

struct failure {
  bool permanent = false;
  bool maybe_done = true;
  span retry_after{0};
};
/// The attempt to perform step `i` has failed, and is closed. Turns the task round if the failure is permanent.
void fail_perform(draft& x, std::size_t i, const failure& how);

/// Nobody waits any longer for step `i`, which ends later: it may have acted.
void abandon_later(draft& x, std::size_t i, attempt_outcome how, std::string_view why);

/// Nobody said in time that step `i` is still going on.
void expire_later(draft& x, std::size_t i);

} // namespace steadfast::workflow
