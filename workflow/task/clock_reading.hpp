#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

namespace steadfast::workflow {

/// What a clock shows. A clock is set when its process starts, from a wall clock that may be wrong by any amount: an
/// instant from before that belongs to another clock, and says nothing about how much time has passed since.
struct clock_reading {
  instant now;
  instant set_at; ///< also identifies the clock; unset: it does not matter

  clock_reading() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): where clocks do not change, a moment is all
  clock_reading(instant at, instant set = unset) : now{at}, set_at{set} {}
};

/// Gives attempts that were begun before the clock was set their whole time again: only then is it certain that they
/// are over, whatever the clock shows (promise P22). If the clock was set back, none keeps more than that: what is
/// ordered again would otherwise have hours to act, and an undo timed by yet another clock would not wait for it (P15).
/// Doing this twice changes nothing more. If `now` is not known, pass `never`.
void carry_over(task& t, const definition& d, const clock_reading& clock);

} // namespace steadfast::workflow
