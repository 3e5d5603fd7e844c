#include "workflow/transition/attempt_end.hpp"

#include "workflow/transition/advance.hpp"

#include <algorithm>

namespace steadfast::workflow {

void note_progress(draft& x, step& s) {
  x.t.takeovers = 0;
  s.waiting_since = unset;
  s.wait_alerted = false;
}

const retry_policy& retry_of(const draft& x, std::size_t i) {
  const auto& sd = x.definition_of(i);
  return x.t.steps[i].state == step_state::compensating ? sd.compensation->retry : sd.retry;
}

void count_try(draft& x, std::size_t i, span at_least) {
  auto& s = x.t.steps.change(i);
  const auto& retry = retry_of(x, i);
  ++s.tries;
  if (s.tries >= retry.attempts) {
    s.needs_review = true;
    return;
  }
  const auto wait =
    std::max(std::min(at_least, retry_after_max), back_off(retry, s.tries, mixed(x.t.number, i, s.attempt)));
  let_wait(s, x.now + wait, "back-off after failed attempt " + std::to_string(s.attempt));
}

void fail_perform(draft& x, std::size_t i, const failure& how) {
  auto& s = x.t.steps.change(i);
  s.maybe_done = s.maybe_done || how.maybe_done;
  back_to_start(s);
  if (how.permanent) {
    if (!s.maybe_done)
      s.state = step_state::failed;
    if (!is_undoing(x.t))
      begin_undo(x, "step `" + x.definition_of(i).name + "` failed for good: " + s.error);
  } else if (!is_undoing(x.t)) {
    count_try(x, i, how.retry_after);
  }
}

void abandon_later(draft& x, std::size_t i, attempt_outcome how, std::string_view why) {
  auto& s = x.t.steps.change(i);
  // Its service was told complete_by, which may be after the time for its next word.
  s.settles_at = std::max(s.settles_at, std::max(s.not_before, s.complete_by) + x.d.grace);
  close_attempt(x, i, how, why);
  s.wait.change().token.clear();
  s.maybe_done = true;
  back_to_start(s);
  let_wait(s, unset, {});
}

void expire_later(draft& x, std::size_t i) {
  constexpr const char* why = "nobody ended it, or said that it goes on, in time";
  abandon_later(x, i, attempt_outcome::expired, why);
  auto& s = x.t.steps.change(i);
  s.error = why;
  s.needs_review = !is_undoing(x.t);
}

} // namespace steadfast::workflow
