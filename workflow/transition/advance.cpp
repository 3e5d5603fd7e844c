#include "workflow/transition/advance.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/text/name.hpp"
#include "workflow/transition/attempt_end.hpp"
#include "workflow/transition/condition_holds.hpp"
#include "workflow/transition/wait.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

const std::string& agent_of(const step_definition& s, attempt_action action) {
  switch (action) {
    case attempt_action::probe: return s.probe->agent;
    case attempt_action::compensate: return s.compensation->agent;
    default: return s.agent;
  }
}

constexpr const char* until_settled = "until no earlier attempt can act any more";

void open_attempt(draft& x, std::size_t i, attempt_action action) {
  auto& s = x.t.steps.change(i);
  const auto& sd = x.definition_of(i);
  if (action == attempt_action::perform && s.attempt == 0)
    tell_observer(x, notice_kind::step_started, {}, sd.name);
  s.doing = action;
  s.complete_by = x.now + limit_of(sd, action);
  if (!is_undoing(x.t))
    s.complete_by = std::min(s.complete_by, forward_ends_at(x.t, x.d));
  s.not_before = unset;
  s.waiting_for.clear();
  if (action == attempt_action::perform)
    s.state = step_state::running;
  else if (action == attempt_action::compensate)
    s.state = step_state::compensating;
  log_attempt(x, s, action, agent_of(sd, action));
}

/// Calls f(position) for the steps that were never tried and may have become startable.
template <class F>
void each_new(const draft& x, F f) {
  if (!x.is_caught_up) {
    x.t.steps.each<step_mark::untried>(f);
    return;
  }
  for (const auto p : x.passed)
    each_successor(x.d, p, [&](std::size_t i) {
      if (has_mark<step_mark::untried>(x.t.steps[i]))
        f(i);
    });
}

bool is_unwanted(const draft& x, std::size_t i) {
  const auto& when = x.definition_of(i).when;
  return when && is_startable(x.t, x.d, i) && !condition_holds(*when, x.t, x.d);
}

/// A person skipped it before what comes before it had passed; now that has.
bool passes_at_last(const draft& x, std::size_t i) {
  return x.t.steps[i].state == step_state::skipped && all_before_have_passed(x.t, x.d, i)
         && std::find(x.passed.begin(), x.passed.end(), i) == x.passed.end();
}

void skip_unwanted_after_passed(draft& x) {
  for (std::size_t k = 0; k < x.passed.size(); ++k)
    each_successor(x.d, x.passed[k], [&x](std::size_t i) {
      if (passes_at_last(x, i))
        x.passed.push_back(i);
      else if (has_mark<step_mark::untried>(x.t.steps[i]) && is_unwanted(x, i))
        let_pass(x, i, step_state::skipped);
    });
}

/// Skips steps whose condition does not hold; each skip may open the way for another.
void skip_unwanted(draft& x) {
  if (x.is_caught_up)
    return skip_unwanted_after_passed(x);
  for (bool again = true; again;) {
    again = false;
    x.t.steps.each<step_mark::untried>([&](std::size_t i) {
      if (!is_unwanted(x, i))
        return;
      let_pass(x, i, step_state::skipped);
      again = true;
    });
  }
}

/// In their order.
std::vector<std::size_t> startable(const draft& x) {
  std::vector<std::size_t> found;
  const auto add = [&](std::size_t i) {
    if (is_startable(x.t, x.d, i))
      found.push_back(i);
  };
  x.t.steps.each<step_mark::tried>(add);
  each_new(x, add);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool may_start(const draft& x, const step& s) {
  return !x.t.locked_by.empty() && !x.starts_nothing && s.doing == attempt_action::none && !s.needs_review
         && s.not_before <= x.now;
}

void end_task(draft& x, process_state how) {
  x.t.state = how;
  x.t.ended_at = x.now;
  x.t.locked_by.clear();
  x.t.not_before = unset;
  x.t.steps.each<step_mark::burdened>([&x](std::size_t i) {
    auto& s = x.t.steps.change(i);
    s.needs_review = false;
    s.waiting_since = unset;
    let_wait(s, unset, {});
  });
}

/// Whether the step has been started, or waits to be.
bool start(draft& x, std::size_t i) {
  const auto& s = x.t.steps[i];
  if (!may_start(x, s))
    return false;
  const bool ask_first = s.state == step_state::unknown && x.definition_of(i).probe.has_value();
  if (ask_first && s.settles_at > x.now)
    let_wait(x.t.steps.change(i), s.settles_at, until_settled);
  else
    open_attempt(x, i, ask_first ? attempt_action::probe : attempt_action::perform);
  return true;
}

/// Begins waits and passes those that are over, until there are none, and says what else may be started. That comes
/// after all of them: one that cannot begin turns the task round.
std::vector<std::size_t> begin_waits(draft& x) {
  for (;;) {
    skip_unwanted(x);
    auto found = startable(x);
    x.passed.clear();
    for (const auto i : found)
      if (ends_later(x.t.steps[i]) && may_start(x, x.t.steps[i]))
        expire_later(x, i);
      else if (x.definition_of(i).wait && may_start(x, x.t.steps[i]) && !is_undoing(x.t))
        x.t.steps[i].state == step_state::waiting ? end_wait(x, i) : begin_wait(x, i);
    if (x.passed.empty() || is_undoing(x.t))
      return found;
    x.is_caught_up = false; // what was found is looked for again
  }
}

void advance_forward(draft& x) {
  if (x.now >= forward_ends_at(x.t, x.d)) {
    begin_undo(x, deadline_cause);
    return advance(x);
  }
  const auto found = begin_waits(x);
  if (is_undoing(x.t))
    return advance(x);
  bool all_new_started = true;
  bool any_waits = false;
  for (const auto i : found) {
    const bool is_new = has_mark<step_mark::untried>(x.t.steps[i]);
    const bool has_started = !x.definition_of(i).wait && start(x, i);
    all_new_started = (has_started || !is_new) && all_new_started;
    any_waits = any_waits || x.t.steps[i].state == step_state::waiting;
  }
  x.is_caught_up = all_new_started;
  if (!x.t.steps.any<step_mark::unfinished>()) {
    end_task(x, process_state::processed);
    tell_observer(x, notice_kind::processed);
  } else if (any_waits) {
    release_until_due(x);
  }
}

std::string still_in_place(const draft& x) {
  std::string names;
  x.t.steps.each<step_mark::undo_failed>(
    [&](std::size_t i) { names += (names.empty() ? "`" : ", `") + x.definition_of(i).name + "`"; });
  return names;
}

void end_undo(draft& x) {
  const auto left = still_in_place(x);
  end_task(x, left.empty() ? process_state::undone : process_state::error);
  if (left.empty()) {
    tell_observer(x, notice_kind::undone, x.t.cause);
    return;
  }
  raise_alert(x, "undo_failed", "undo failed, still in place: " + left + "; why it was undone: " + x.t.cause);
  tell_observer(x, notice_kind::error, "undo failed, still in place: " + left);
}

/// From here on no forward attempt can act any more (promise: undo starts only then).
instant undo_may_start_at(const draft& x) {
  instant at = unset;
  x.t.steps.each_summary([&at](const step_summary& s) { at = std::max(at, s.settles_at); });
  return at;
}

bool performs(const draft& x) {
  bool any = false;
  x.t.steps.each<step_mark::open>([&](std::size_t i) { any = any || x.t.steps[i].doing == attempt_action::perform; });
  return any || any_ends_later(x.t);
}

void start_compensations(draft& x) {
  const auto from = undo_may_start_at(x);
  for (const auto i : ready_to_undo(x.t, x.d)) {
    if (x.t.steps[i].not_before < from && from > x.now)
      let_wait(x.t.steps.change(i), from, until_settled);
    const auto& s = x.t.steps[i];
    if (!may_start(x, s))
      continue;
    const bool ask_first = s.state == step_state::unknown && x.definition_of(i).probe && !s.probe_given_up;
    if (starts_child(x.definition_of(i)))
      begin_undo_of_child(x, i);
    else
      open_attempt(x, i, ask_first ? attempt_action::probe : attempt_action::compensate);
  }
}

void advance_undo(draft& x) {
  if (!x.t.locked_by.empty())
    x.t.steps.each<step_mark::tried>([&x](std::size_t i) {
      if (ends_later(x.t.steps[i]) && may_start(x, x.t.steps[i]))
        expire_later(x, i);
    });
  if (!x.t.locked_by.empty() && !performs(x))
    start_compensations(x);
  bool is_awaited = any_ends_later(x.t);
  bool left = has_open_attempt(x.t) || is_awaited;
  x.t.steps.each<step_mark::acted>([&](std::size_t i) {
    const bool is_child = starts_child(x.definition_of(i));
    left = left || is_child || x.definition_of(i).compensation;
    is_awaited = is_awaited || (is_child && x.t.steps[i].state == step_state::compensating);
  });
  if (!left)
    end_undo(x);
  else if (is_awaited)
    release_until_due(x);
}

/// When something may be started, if a scheduler has the task; `never` if nothing may.
instant next_start(const draft& x) {
  instant at = never;
  if (is_undoing(x.t)) {
    if (any_ends_later(x.t)) {
      x.t.steps.each<step_mark::tried>([&](std::size_t i) {
        if (ends_later(x.t.steps[i]))
          at = std::min(at, x.t.steps[i].not_before);
      });
      return at;
    }
    for (const auto i : ready_to_undo(x.t, x.d))
      at = std::min(at, x.t.steps[i].not_before);
    return at;
  }
  for (const auto i : startable(x))
    at = std::min(at, x.t.steps[i].not_before);
  return at;
}

} // namespace

void begin_undo(draft& x, std::string cause) {
  if (x.t.state == process_state::suspended)
    x.t.resume_state = process_state::undoing;
  else
    x.t.state = process_state::undoing;
  x.t.cause = std::move(cause);
  x.t.ended_at = unset;
  x.t.not_before = unset;
  x.is_caught_up = false; // what was found and not started yet stays so
  x.t.steps.each<step_mark::burdened>([&x](std::size_t i) {
    if (is_undo_of_child_awaited(x.t.steps[i], x.definition_of(i)))
      return; // a person resumes it by that
    const auto until = ends_later(x.t.steps[i]) ? x.t.steps[i].not_before : unset;
    if (x.t.steps[i].state == step_state::waiting && until == unset)
      stop_wait(x, i, "the task is undone");
    reset_counts(x.t.steps.change(i));
    let_wait(x.t.steps.change(i), until, {}); // what an agent has begun may act until then
  });
  tell_observer(x, notice_kind::undoing, x.t.cause);
}

void enter_error(draft& x, std::string cause, std::string alert_kind) {
  x.t.steps.each<step_mark::open>([&x](std::size_t i) {
    auto& s = x.t.steps.change(i);
    const auto action = s.doing;
    close_attempt(x, i, attempt_outcome::stopped, "the task went to error");
    if (action != attempt_action::probe)
      settle_later(x, i);
    if (action == attempt_action::perform) {
      s.maybe_done = true;
      s.state = step_state::unknown;
    }
  });
  x.t.steps.each<step_mark::burdened>([&x](std::size_t i) {
    if (ends_later(x.t.steps[i]))
      abandon_later(x, i, attempt_outcome::stopped, "the task went to error");
    else if (x.t.steps[i].state == step_state::waiting)
      stop_wait(x, i, "the task went to error");
    else if (is_undo_of_child_awaited(x.t.steps[i], x.definition_of(i)))
      close_attempt(x, i, attempt_outcome::stopped, "the task went to error");
  });
  const auto undone_because = is_undoing(x.t) ? x.t.cause : std::string{};
  x.t.cause = undone_because.empty()
                ? std::move(cause)
                : clipped(cause + "; it was being undone because " + undone_because, told_cause_size_max);
  end_task(x, process_state::error);
  raise_alert(x, std::move(alert_kind), x.t.cause);
  tell_observer(x, notice_kind::error, x.t.cause);
}

void release_lock(draft& x) {
  x.t.locked_by.clear();
  if (x.t.state == process_state::processing)
    x.t.state = process_state::pending;
  queue_again(x);
}

void queue_again(draft& x) {
  if (!x.t.locked_by.empty() || has_ended(x.t))
    return;
  const auto at = has_open_attempt(x.t) ? unset : next_start(x);
  x.t.not_before = at > x.now && at != never ? at : unset;
}

void release_until_due(draft& x) {
  if (x.t.locked_by.empty() || has_open_attempt(x.t))
    return;
  if (const auto at = next_start(x); at > x.now && at != never)
    release_lock(x);
}

void release_if_idle(draft& x) {
  if (!x.t.locked_by.empty() && !has_open_attempt(x.t))
    release_lock(x);
}

void advance(draft& x) {
  if (x.t.state == process_state::processing)
    advance_forward(x);
  else if (x.t.state == process_state::undoing)
    advance_undo(x);
  if (x.t.state == process_state::suspended || (x.starts_nothing && !has_ended(x.t)))
    release_if_idle(x);
}

} // namespace steadfast::workflow
