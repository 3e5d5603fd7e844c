#include "workflow/transition/handlers.hpp"

#include "workflow/children/child.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"
#include "workflow/transition/wait.hpp"

#include <utility>

namespace steadfast::workflow {

namespace {

std::string words(const by& person, const std::string& did) {
  const auto why = clipped(person.why, note_size_max);
  return did + " by " + clipped(person.who, note_size_max) + (why.empty() ? "" : ": " + why);
}

/// The task lives again: an outcome changed by a person opens a new generation.
void reopen(draft& x, process_state as) {
  ++x.t.generation;
  x.t.state = as;
  x.t.ended_at = unset;
  x.t.not_before = unset;
  x.t.takeovers = 0;
  x.t.cause.clear();
}

/// What failed going forward may be tried again. The deadline starts again, or it would be undone at once.
void reopen_forward(draft& x) {
  reopen(x, process_state::pending);
  x.t.complete_by = x.now + x.d.deadline;
  x.t.steps.each<step_mark::unfinished>([&x](std::size_t i) {
    const auto& s = x.t.steps[i];
    const bool failed = s.state == step_state::failed || s.state == step_state::unknown;
    if (!failed && (s.state != step_state::not_started || (!is_burdened(s) && !s.maybe_done)))
      return;
    auto& again = x.t.steps.change(i);
    reset_counts(again);
    back_to_start(again);
  });
}

void reopen_undo(draft& x) {
  const auto cause = x.t.cause;
  reopen(x, process_state::undoing);
  x.t.cause = cause;
  x.t.steps.each<step_mark::undo_failed>([&x](std::size_t i) {
    auto& s = x.t.steps.change(i);
    reset_counts(s);
    s.state = step_state::compensating;
  });
}

bool undo_has_run(const task& t) {
  for (const auto& s : t.steps)
    if (s.state == step_state::compensated || s.state == step_state::compensation_failed
        || s.state == step_state::compensating)
      return true;
  return false;
}

ruling retry_in_error(draft& x, const step& s) {
  if (s.state == step_state::compensation_failed) {
    reopen_undo(x);
    return applied();
  }
  if (s.state == step_state::completed || s.state == step_state::skipped || s.state == step_state::compensated)
    return refused("the step is " + std::string{to_string(s.state)});
  if (undo_has_run(x.t))
    return refused("undo has begun; only an undo that failed can be tried again");
  reopen_forward(x);
  return applied();
}

ruling retry_in_life(draft& x, std::size_t i) {
  const auto& s = x.t.steps[i];
  if (s.doing != attempt_action::none || ends_later(s))
    return refused("an attempt is under way");
  const bool is_undone = is_undo_of_child_awaited(s, x.definition_of(i));
  if (is_undone || (s.state == step_state::waiting && starts_child(x.definition_of(i))))
    return refused(is_over_items(x.definition_of(i))
                     ? "the step is its items': look at the task of one, such as `" + child_id(x.t, x.d, i, 1) + "`"
                     : "the step is its task's: look at `" + child_id(x.t, x.d, i) + "`");
  if (const auto& wait = x.definition_of(i).wait; s.state == step_state::waiting && wait && is_until_told(*wait))
    return refused(wait->what == wait_rule::kind::event ? "it waits for an event: send that, or skip the step"
                                                        : "it waits for an answer: give that, or skip the step");
  if (s.state == step_state::waiting) {
    let_wait(x.t.steps.change(i), x.now, "woken by a person");
    if (is_claimable(x.t))
      x.t.not_before = unset;
    return applied();
  }
  if (s.not_before == unset && !s.needs_review)
    return refused("the step is " + std::string{to_string(s.state)} + " and not waiting");
  reset_counts(x.t.steps.change(i));
  if (is_claimable(x.t))
    x.t.not_before = unset;
  return applied();
}

ruling skip_failed_undo(draft& x, std::size_t i) {
  x.t.steps.change(i).state = step_state::compensated;
  reopen_undo(x);
  advance(x);
  return applied();
}

bool may_skip(const step& s) {
  return s.doing == attempt_action::none && !ends_later(s)
         && (s.state == step_state::not_started || s.state == step_state::failed || s.state == step_state::unknown
             || s.state == step_state::waiting);
}

/// Why the task is undone, by a person's word: what went wrong before is told too. An undo that is tried again has its
/// cause.
std::string cause_of_turn(const draft& x, std::string said) {
  if (x.t.cause.empty())
    return said;
  return undo_has_run(x.t) ? x.t.cause : clipped(x.t.cause + "; " + said, told_cause_size_max);
}

/// Turns to undo by a person's word.
ruling turn_round(draft& x, const by& person, const std::string& what) {
  record_act(x, person, what);
  auto cause = cause_of_turn(x, words(person, what == "cancel" ? "cancelled" : "undone"));
  if (has_ended(x.t))
    reopen_undo(x);
  if (x.t.state == process_state::suspended)
    x.t.state = x.t.locked_by.empty() ? process_state::pending : process_state::processing;
  begin_undo(x, std::move(cause));
  advance(x);
  return applied();
}

} // namespace

ruling on(draft& x, const step_retried& e) {
  if (e.step >= x.t.steps.size())
    return refused("there is no such step");
  const auto& s = x.t.steps[e.step];
  const bool is_undo = s.state == step_state::compensation_failed || x.t.state == process_state::undoing;
  if (e.new_key && is_undo)
    return refused("an undo reverses what was done under the step's key; try it again without a new one");
  if (e.new_key && s.maybe_done)
    return refused("the step may have acted under its key, and an undo under another would not reverse that; "
                   "try it again without a new one, or skip it once its outcome is settled by hand");
  auto r = refused("the task is " + std::string{to_string(x.t.state)});
  if (x.t.state == process_state::error)
    r = retry_in_error(x, s);
  else if (is_forward(x.t) || x.t.state == process_state::undoing)
    r = retry_in_life(x, e.step);
  if (r.result != event_status::applied)
    return r;
  if (e.new_key)
    ++x.t.steps.change(e.step).key_generation;
  record_act(x, e.person, "retry step `" + x.definition_of(e.step).name + "`" + (e.new_key ? " with a new key" : ""));
  advance(x);
  return r;
}

ruling on(draft& x, const step_skipped& e) {
  if (e.step >= x.t.steps.size())
    return refused("there is no such step");
  const auto& s = x.t.steps[e.step];
  const auto what = "skip step `" + x.definition_of(e.step).name + "`";
  if (x.t.state == process_state::error && s.state == step_state::compensation_failed) {
    record_act(x, e.person, what);
    return skip_failed_undo(x, e.step);
  }
  const bool may = is_forward(x.t) || x.t.state == process_state::suspended || x.t.state == process_state::error;
  if (!may || is_undoing(x.t) || (x.t.state == process_state::error && undo_has_run(x.t)))
    return refused("the task is " + std::string{to_string(x.t.state)} + " and not going forward");
  if (!may_skip(s))
    return refused(s.doing == attempt_action::none && !ends_later(s) ? "the step is " + std::string{to_string(s.state)}
                                                                     : "an attempt is under way");
  record_act(x, e.person, what);
  if (x.t.state == process_state::error)
    reopen_forward(x);
  if (x.t.steps[e.step].state == step_state::waiting)
    stop_wait(x, e.step, "skipped by a person");
  let_pass(x, e.step, step_state::skipped); // that it may have acted stays: an undo covers it
  auto& skipped = x.t.steps.change(e.step);
  reset_counts(skipped);
  skipped.result = e.result;
  skipped.facts = e.facts;
  if (is_claimable(x.t) && was_started(x.t))
    x.t.not_before = unset;
  advance(x);
  return applied();
}

ruling on(draft& x, const payload_edited& e) {
  if (x.t.state == process_state::error && undo_has_run(x.t))
    return refused("its undo has begun: no step is left that would use another payload");
  const bool may =
    x.t.state == process_state::pending || x.t.state == process_state::suspended || x.t.state == process_state::error;
  if (!may || is_undoing(x.t))
    return refused("the task is " + std::string{to_string(x.t.state)}
                   + (x.t.state == process_state::processing ? "; suspend it first" : ""));
  if (has_open_attempt(x.t) || any_ends_later(x.t))
    return refused("an attempt is under way");
  if (const auto lacks = payload_needs{x.d}.problems(e.payload.view()); !lacks.empty())
    return refused("the new " + lacks.front());
  record_act(x, e.person, "edit the payload");
  x.t.payload = e.payload;
  return applied();
}

ruling on(draft& x, const undo_requested& e) {
  if (x.t.state == process_state::undone)
    return ignored("it is undone");
  if (is_undoing(x.t) && x.t.state != process_state::suspended)
    return ignored("it is being undone");
  return turn_round(x, e.person, "undo");
}

ruling on(draft& x, const cancelled& e) {
  if (is_undoing(x.t))
    return ignored("it is being undone");
  if (x.t.state == process_state::undone)
    return ignored("it is undone");
  if (x.t.state == process_state::processed || x.t.state == process_state::error)
    return refused("it has ended; `undo` reverses it");
  return turn_round(x, e.person, "cancel");
}

ruling on(draft& x, const suspended& e) {
  if (x.t.state == process_state::suspended)
    return ignored("it is suspended");
  if (has_ended(x.t))
    return refused("it has ended");
  record_act(x, e.person, "suspend");
  x.t.resume_state = is_undoing(x.t) ? process_state::undoing : process_state::pending;
  x.t.state = process_state::suspended;
  tell_observer(x, notice_kind::suspended, words(e.person, "suspended"));
  advance(x);
  return applied();
}

ruling on(draft& x, const resumed& e) {
  if (x.t.state != process_state::suspended)
    return ignored("it is not suspended");
  record_act(x, e.person, "resume");
  x.t.state = x.t.resume_state;
  if (!x.t.locked_by.empty() && x.t.state == process_state::pending)
    x.t.state = process_state::processing;
  tell_observer(x, notice_kind::resumed, words(e.person, "resumed"));
  advance(x);
  if (was_started(x.t))
    queue_again(x); // not for what was skipped while it was suspended
  return applied();
}

} // namespace steadfast::workflow
