#include "workflow/transition/handlers.hpp"

namespace steadfast::workflow {

namespace {

void exhaust(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  const auto& sd = x.definition_of(i);
  const auto cause = "step `" + sd.name + "` used up its attempts: " + failure_told(s);
  if (s.state == step_state::compensating) {
    s.state = step_state::compensation_failed;
    raise_alert(x, "undo_failed",
                "step `" + sd.name + "` could not be undone and is still in place: " + failure_told(s), sd.name);
  } else if (sd.exhausted == on_exhausted::undo) {
    begin_undo(x, cause);
  } else {
    enter_error(x, cause);
  }
}

/// Counts one failed round and decides: again soon, after a cool-off, or no more.
void count_failure(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  const auto& sd = x.definition_of(i);
  const auto& retry = s.state == step_state::compensating ? sd.compensation->retry : sd.retry;
  s.needs_review = false;
  s.tries = 0;
  ++s.failure_count;
  ++x.t.failure_count;
  if (s.failure_count < sd.threshold) {
    let_wait(s, x.now + back_off(retry, s.failure_count, mixed(x.t.number, i, s.attempt)),
             "failed " + std::to_string(s.failure_count) + " of " + std::to_string(sd.threshold) + " times");
  } else if (s.cool_offs < sd.cool_off.count) {
    ++s.cool_offs;
    s.failure_count = 0;
    let_wait(s, x.now + sd.cool_off.wait,
             "cool-off " + std::to_string(s.cool_offs) + " of " + std::to_string(sd.cool_off.count));
  } else {
    exhaust(x, i);
  }
}

ruling give_lock_back(draft& x) {
  if (x.t.locked_by.empty())
    return ignored("nobody has it");
  release_lock(x);
  return applied();
}

} // namespace

ruling on(draft& x, const round_failed& e) {
  if (e.step >= x.t.steps.size())
    return refused("there is no such step");
  const auto& s = x.t.steps[e.step];
  if (!s.needs_review || e.attempt != s.attempt)
    return ignored("it was decided already");
  if (x.t.state == process_state::suspended)
    return ignored("it is decided when the task resumes");
  count_failure(x, e.step);
  release_if_idle(x);
  if (is_undoing(x.t))
    advance(x); // there may be nothing left to undo
  queue_again(x);
  return applied();
}

ruling on(draft& x, const deadline_passed&) {
  if (!is_forward(x.t))
    return ignored("no forward work is going on");
  if (x.now < forward_ends_at(x.t, x.d))
    return ignored("its deadline has not come");
  begin_undo(x, deadline_cause);
  release_if_idle(x);
  advance(x);
  return applied();
}

ruling on(draft& x, const lock_released&) {
  return give_lock_back(x);
}

ruling on(draft& x, const lock_lapsed&) {
  auto r = give_lock_back(x);
  if (r.result == event_status::applied)
    ++x.t.takeovers;
  return r;
}

ruling on(draft& x, const wait_noticed& e) {
  if (e.step >= x.t.steps.size())
    return refused("there is no such step");
  const auto& s = x.t.steps[e.step];
  if (s.waiting_since == unset || s.wait_alerted)
    return ignored("it is not waiting, or the alert was raised");
  if (x.now < s.waiting_since + x.d.alert_after)
    return ignored("it has not waited long");
  x.t.steps.change(e.step).wait_alerted = true;
  const auto& name = x.definition_of(e.step).name;
  raise_alert(x, "waiting", "step `" + name + "` waits because no agent takes it: " + s.waiting_for, name);
  return applied();
}

} // namespace steadfast::workflow
