#pragma once

#include "workflow/transition/draft.hpp"

// What the end of an attempt means for its step, whoever told of it.

namespace steadfast::workflow {

/// There is news of the task: its scheduler is not what keeps it from moving.
void note_progress(draft& x, step& s);

/// One more failed attempt of the round: wait and try again, or leave it to the supervisor.
void count_try(draft& x, std::size_t i, span at_least);

const retry_policy& retry_of(const draft& x, std::size_t i);

struct failure {
  bool permanent = false;
  bool maybe_done = true;
  span retry_after{0};
};
/// The attempt to perform step `i` has failed, and is closed. Turns the task round where that is for good.
void fail_perform(draft& x, std::size_t i, const failure& how);

/// Step `i`, which ends later, is not waited for any more: it may have acted.
void abandon_later(draft& x, std::size_t i, attempt_outcome how, std::string_view why);

/// Nobody said in time that step `i` goes on.
void expire_later(draft& x, std::size_t i);

} // namespace steadfast::workflow
