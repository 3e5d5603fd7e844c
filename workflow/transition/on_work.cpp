#include "workflow/text/name.hpp"
#include "workflow/transition/attempt_end.hpp"
#include "workflow/transition/handlers.hpp"
#include "workflow/transition/repeat.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

std::optional<ruling> too_late(const draft& x, const attempt_ref& ref) {
  const auto late = [](std::string why) { return ruling{event_status::refused, std::move(why), true}; };
  if (ref.step >= x.t.steps.size())
    return late("there is no such step");
  const auto& s = x.t.steps[ref.step];
  if (ref.attempt != s.attempt)
    return late("attempt " + std::to_string(s.attempt) + " is the current one");
  if (s.doing == attempt_action::none)
    return late("the attempt is over");
  if (x.t.locked_by.empty() || ref.epoch != x.t.lock_epoch)
    return late("it was ordered under an older lock");
  if (x.now >= s.complete_by)
    return late("its complete-by has passed");
  return std::nullopt;
}

namespace {

/// A call of the attempt ended without the service's own word: a lost connection, a gateway's answer. The service may
/// be at work on it, until complete-by and grace are over; neither probe nor undo may come before that.
void settle_as_told(draft& x, std::size_t i, attempt_action action, bool unsettled) {
  if (unsettled && action == attempt_action::perform)
    settle_later(x, i);
}

/// The attempt ended as its agent says. Returns what it was for.
attempt_action close_as_told(draft& x, std::size_t i, attempt_outcome how, std::string_view note, bool unsettled) {
  auto& s = x.t.steps.change(i);
  const auto action = s.doing;
  close_attempt(x, i, how, note);
  settle_as_told(x, i, action, unsettled);
  note_progress(x, s);
  return action;
}

/// A probe that gives no answer is one more failed attempt; before undo it is asked only once.
void fail_probe(draft& x, std::size_t i, span at_least) {
  if (is_undoing(x.t))
    x.t.steps.change(i).probe_given_up = true;
  else
    count_try(x, i, at_least);
}

void give_up_compensation(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  s.state = step_state::compensation_failed;
  const auto& name = x.definition_of(i).name;
  raise_alert(x, "undo_failed", "step `" + name + "` could not be undone and is still in place: " + failure_told(s),
              name);
}

} // namespace

ruling on(draft& x, const taken& e) {
  auto& t = x.t;
  if (e.scheduler.empty())
    return refused("no scheduler is named");
  if (!is_claimable(t))
    return refused(t.locked_by.empty() ? "it is " + std::string{to_string(t.state)}
                                       : "it is locked by `" + t.locked_by + "`");
  if (t.not_before > x.now)
    return refused("it must not start yet");
  if (t.takeovers > x.d.takeovers_max) {
    enter_error(x, "its schedulers were lost " + std::to_string(t.takeovers) + " times without progress", "set_aside");
    return applied();
  }
  t.locked_by = e.scheduler;
  ++t.lock_epoch;
  t.not_before = unset;
  if (t.state == process_state::pending)
    t.state = process_state::processing;
  t.steps.each<step_mark::open>([&x](std::size_t i) {
    auto& s = x.t.steps.change(i);
    s.log.change().back().epoch = x.t.lock_epoch; // it is ordered again under the new lock
    if (s.doing != attempt_action::perform)
      return;
    // The former order may have acted, and on another node may go on.
    s.maybe_done = true;
    settle_later(x, i);
  });
  advance(x);
  return applied();
}

ruling on(draft& x, const time_passed&) {
  const task before = x.t;
  advance(x);
  return x.t == before ? ignored("nothing is due") : applied();
}

ruling on(draft& x, const attempt_succeeded& e) {
  if (auto late = too_late(x, e.ref))
    return *late;
  auto& s = x.t.steps.change(e.ref.step);
  const auto why = s.doing == attempt_action::compensate ? "" : why_unexpected(x, e.ref.step, e.facts);
  const auto how = why.empty() ? attempt_outcome::succeeded : outcome_of_unexpected(x, e.ref.step);
  const auto action = close_as_told(x, e.ref.step, how, why, e.unsettled);
  if (!why.empty()) {
    fail_unexpected(x, e.ref.step, why);
  } else if (action == attempt_action::compensate) {
    s.state = step_state::compensated;
    s.error.clear();
  } else {
    complete_or_repeat(x, e.ref.step, e.result, e.facts);
  }
  advance(x);
  if (x.definition_of(e.ref.step).repeat)
    release_until_due(x); // it may be long until it is called again
  return applied();
}

ruling on(draft& x, const attempt_failed& e) {
  if (auto late = too_late(x, e.ref))
    return *late;
  const auto i = e.ref.step;
  auto& s = x.t.steps.change(i);
  const auto how = e.permanent ? attempt_outcome::failed_permanent : attempt_outcome::failed_transient;
  const auto action = close_as_told(x, i, how, e.why, e.unsettled);
  s.error = clipped(e.why, note_size_max);
  if (action == attempt_action::perform)
    fail_perform(x, i, {e.permanent, e.maybe_done, e.retry_after});
  else if (action == attempt_action::probe)
    fail_probe(x, i, e.retry_after);
  else if (e.permanent)
    give_up_compensation(x, i);
  else
    count_try(x, i, e.retry_after);
  advance(x);
  return applied();
}

ruling on(draft& x, const attempt_declined& e) {
  if (auto late = too_late(x, e.ref))
    return *late;
  const auto i = e.ref.step;
  auto& s = x.t.steps.change(i);
  const auto action = s.doing;
  if (action == attempt_action::perform)
    back_to_start(s);
  const bool again = s.log.size() > 1 && s.log[s.log.size() - 2].outcome == attempt_outcome::declined;
  if (again) { // one line for refusals in a row
    auto& lines = s.log.change();
    lines.erase(lines.end() - 2);
    ++s.log_dropped;
  }
  close_attempt(x, i, attempt_outcome::declined, e.why);
  if (!is_undoing(x.t) || action != attempt_action::perform) {
    if (s.waiting_since == unset)
      s.waiting_since = x.now;
    const auto wait = std::max(std::min(e.retry_after, retry_after_max), retry_of(x, i).initial);
    let_wait(s, x.now + wait, clipped(e.why, note_size_max));
  }
  advance(x);
  release_until_due(x);
  return applied();
}

ruling on(draft& x, const attempt_stopped& e) {
  if (auto late = too_late(x, e.ref))
    return *late;
  const auto i = e.ref.step;
  auto& s = x.t.steps.change(i);
  const auto action = close_as_told(x, i, attempt_outcome::stopped, {}, e.unsettled);
  if (action == attempt_action::perform) {
    s.maybe_done = s.maybe_done || e.maybe_done;
    back_to_start(s);
  }
  // Only undo asks an agent to stop; one that stops by itself has used up a try, or it could go on like that for ever.
  if (action == attempt_action::probe)
    fail_probe(x, i, span{0});
  else if (action == attempt_action::compensate || !is_undoing(x.t))
    count_try(x, i, span{0});
  advance(x);
  return applied();
}

ruling on(draft& x, const probe_denied& e) {
  if (auto late = too_late(x, e.ref))
    return *late;
  auto& s = x.t.steps.change(e.ref.step);
  if (s.doing != attempt_action::probe)
    return ruling{event_status::refused, "the attempt is not a probe", true};
  close_attempt(x, e.ref.step, attempt_outcome::succeeded, "it did not happen");
  note_progress(x, s);
  s.maybe_done = false;
  s.state = step_state::not_started;
  advance(x);
  return applied();
}

ruling on(draft& x, const attempt_expired& e) {
  if (e.ref.step >= x.t.steps.size())
    return refused("there is no such step");
  const auto i = e.ref.step;
  if (e.ref.attempt != x.t.steps[i].attempt || x.t.steps[i].doing == attempt_action::none)
    return ignored("the attempt is over");
  if (x.now < x.t.steps[i].complete_by)
    return ignored("its complete-by has not come");
  auto& s = x.t.steps.change(i);
  const auto action = s.doing;
  close_attempt(x, i, attempt_outcome::expired, "no answer by its complete-by");
  if (action != attempt_action::probe)
    settle_later(x, i);
  s.waiting_since = unset; // an agent took it
  s.wait_alerted = false;
  s.error = "no answer by its complete-by";
  if (action == attempt_action::perform) {
    s.maybe_done = true;
    back_to_start(s);
  }
  if (action == attempt_action::compensate || !is_undoing(x.t))
    s.needs_review = true;
  else if (action == attempt_action::probe)
    s.probe_given_up = true;
  advance(x);
  return applied();
}

} // namespace steadfast::workflow
