#include "workflow/draft.hpp"

#include "workflow/compensation.hpp"
#include "workflow/json_place.hpp"
#include "workflow/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

bool holds(const condition& c, const task& t, const definition& d) {
  const auto& facts = t.steps[*find_step(d, c.step)].facts;
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const fact& f) { return f.pointer == c.pointer; });
  const bool present = found != facts.end();
  switch (c.is) {
    case condition::test::equals: return present && is_same_json(found->json, c.literal);
    case condition::test::differs: return present && !is_same_json(found->json, c.literal);
    case condition::test::present: return present;
    case condition::test::absent: return !present;
  }
  return false;
}

const std::string& agent_of(const step_definition& s, attempt_action action) {
  switch (action) {
    case attempt_action::probe: return s.probe->agent;
    case attempt_action::compensate: return s.compensation->agent;
    default: return s.agent;
  }
}

void log_attempt(step& s, attempt_record line) {
  s.log.push_back(std::move(line));
  if (s.log.size() > attempts_logged_max) {
    s.log.erase(s.log.begin());
    ++s.log_dropped;
  }
}

constexpr const char* until_settled = "until no earlier attempt can act any more";

void open_attempt(draft& x, std::size_t i, attempt_action action) {
  auto& s = x.t.steps[i];
  const auto& sd = x.definition_of(i);
  if (action == attempt_action::perform && s.attempt == 0)
    tell_observer(x, notice_kind::step_started, {}, sd.name);
  ++s.attempt;
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
  attempt_record line;
  line.number = s.attempt;
  line.action = action;
  line.epoch = x.t.lock_epoch;
  line.started_at = x.now;
  line.agent = agent_of(sd, action);
  log_attempt(s, std::move(line));
}

/// Skips steps whose condition does not hold; each skip may open the way for another.
void skip_unwanted(draft& x) {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < x.t.steps.size(); ++i) {
      auto& s = x.t.steps[i];
      const auto& when = x.definition_of(i).when;
      if (!when || s.state != step_state::not_started || s.attempt > 0 || !is_startable(x.t, x.d, i)
          || holds(*when, x.t, x.d))
        continue;
      s.state = step_state::skipped;
      again = true;
    }
  }
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
  for (auto& s : x.t.steps) {
    s.needs_review = false;
    s.waiting_since = unset;
    let_wait(s, unset, {});
  }
}

void advance_forward(draft& x) {
  if (x.now >= forward_ends_at(x.t, x.d)) {
    begin_undo(x, "its deadline passed before the work was done");
    return advance(x);
  }
  skip_unwanted(x);
  for (std::size_t i = 0; i < x.t.steps.size(); ++i) {
    auto& s = x.t.steps[i];
    if (!is_startable(x.t, x.d, i) || !may_start(x, s))
      continue;
    const bool ask_first = s.state == step_state::unknown && x.definition_of(i).probe.has_value();
    if (ask_first && s.settles_at > x.now) {
      let_wait(s, s.settles_at, until_settled);
      continue;
    }
    open_attempt(x, i, ask_first ? attempt_action::probe : attempt_action::perform);
  }
  const bool done = std::all_of(x.t.steps.begin(), x.t.steps.end(), [](const step& s) {
    return s.state == step_state::completed || s.state == step_state::skipped;
  });
  if (done) {
    end_task(x, process_state::processed);
    tell_observer(x, notice_kind::processed);
  }
}

std::string still_in_place(const draft& x) {
  std::string names;
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    if (x.t.steps[i].state == step_state::compensation_failed)
      names += (names.empty() ? "`" : ", `") + x.definition_of(i).name + "`";
  return names;
}

void end_undo(draft& x) {
  const auto left = still_in_place(x);
  end_task(x, left.empty() ? process_state::undone : process_state::error);
  if (left.empty()) {
    tell_observer(x, notice_kind::undone, x.t.cause);
    return;
  }
  raise_alert(x, "undo_failed", "undo failed, still in place: " + left + "; it was undone because " + x.t.cause);
  tell_observer(x, notice_kind::error, "undo failed, still in place: " + left);
}

/// From here on no forward attempt can act any more (promise: undo starts only then).
instant undo_may_start_at(const draft& x) {
  instant at = unset;
  for (const auto& s : x.t.steps)
    at = std::max(at, s.settles_at);
  return at;
}

bool performs(const draft& x) {
  return std::any_of(x.t.steps.begin(), x.t.steps.end(),
                     [](const step& s) { return s.doing == attempt_action::perform; });
}

void start_compensations(draft& x) {
  const auto from = undo_may_start_at(x);
  for (const auto i : ready_to_undo(x.t, x.d)) {
    auto& s = x.t.steps[i];
    if (s.doing == attempt_action::none && s.not_before < from && from > x.now)
      let_wait(s, from, until_settled);
    if (!may_start(x, s))
      continue;
    const bool ask_first = s.state == step_state::unknown && x.definition_of(i).probe && !s.probe_given_up;
    open_attempt(x, i, ask_first ? attempt_action::probe : attempt_action::compensate);
  }
}

void advance_undo(draft& x) {
  if (!x.t.locked_by.empty() && !performs(x))
    start_compensations(x);
  bool left = has_open_attempt(x.t);
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    left = left || needs_undo(x.t.steps[i], x.definition_of(i));
  if (!left)
    end_undo(x);
}

/// When something may be started, if a scheduler has the task; `never` if nothing may.
instant next_start(const draft& x) {
  instant at = never;
  if (is_undoing(x.t)) {
    for (const auto i : ready_to_undo(x.t, x.d))
      at = std::min(at, x.t.steps[i].not_before);
    return at;
  }
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    if (is_startable(x.t, x.d, i))
      at = std::min(at, x.t.steps[i].not_before);
  return at;
}

} // namespace

void tell_observer(draft& x, notice_kind kind, std::string text, std::string step) {
  if (!x.t.reply_to.empty())
    x.notices.push_back({++x.t.notices, kind, std::move(step), std::move(text), x.now});
}

void raise_alert(draft& x, std::string kind, std::string text, std::string step) {
  x.alerts.push_back({std::move(kind), std::move(text), std::move(step), x.now});
}

void close_attempt(draft& x, std::size_t i, attempt_outcome outcome, std::string_view note) {
  auto& s = x.t.steps[i];
  s.doing = attempt_action::none;
  auto& line = s.log.back();
  line.outcome = outcome;
  line.ended_at = x.now;
  line.note = clipped(note, note_size_max);
}

void settle_later(draft& x, step& s) {
  s.settles_at = std::max(s.settles_at, s.complete_by + x.d.grace);
}

void back_to_start(step& s) {
  s.state = s.maybe_done ? step_state::unknown : step_state::not_started;
}

void let_wait(step& s, instant until, std::string why) {
  s.not_before = until;
  s.waiting_for = std::move(why);
}

void begin_undo(draft& x, std::string cause) {
  if (x.t.state == process_state::suspended)
    x.t.resume_state = process_state::undoing;
  else
    x.t.state = process_state::undoing;
  x.t.cause = std::move(cause);
  x.t.ended_at = unset;
  x.t.not_before = unset;
  for (auto& s : x.t.steps) {
    s.needs_review = false;
    s.tries = s.failure_count = s.cool_offs = 0;
    s.probe_given_up = s.wait_alerted = false;
    s.waiting_since = unset;
    let_wait(s, unset, {});
  }
  tell_observer(x, notice_kind::undoing, x.t.cause);
}

void enter_error(draft& x, std::string cause, std::string alert_kind) {
  for (std::size_t i = 0; i < x.t.steps.size(); ++i) {
    auto& s = x.t.steps[i];
    if (s.doing == attempt_action::none)
      continue;
    const auto action = s.doing;
    close_attempt(x, i, attempt_outcome::stopped, "the task went to error");
    if (action != attempt_action::probe)
      settle_later(x, s);
    if (action == attempt_action::perform) {
      s.maybe_done = true;
      s.state = step_state::unknown;
    }
  }
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
