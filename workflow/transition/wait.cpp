#include "workflow/transition/wait.hpp"

#include "workflow/definition/wait_end.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"
#include "workflow/time/time_text.hpp"
#include "workflow/transition/advance.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

/// The JSON text that the wait goes by; empty: there is none.
std::string value_of(const draft& x, const source& at) {
  switch (at.from) {
    case source::kind::literal: return at.literal;
    case source::kind::payload: return std::string{payload_at(x.t, at.pointer).value_or("")};
    case source::kind::result:
    case source::kind::item: break;
  }
  return std::string{fact_at(x.t.steps[*find_step(x.d, at.step)], at.pointer).value_or("")};
}

std::string where(const source& at) {
  return (at.from == source::kind::payload ? "payload" : at.step) + ":" + at.pointer;
}

/// Why a task may not wait until `at`; empty: it may.
std::string why_too_long(const draft& x, instant at) {
  const auto last = forward_ends_at(x.t, x.d);
  return at < last ? "" : "it would wait until " + utc_text(at) + ", and forward work ends at " + utc_text(last);
}

} // namespace

void fail_wait(draft& x, std::size_t i, std::string why) {
  auto& s = x.t.steps.change(i);
  s.error = clipped(why, note_size_max);
  s.state = step_state::failed;
  close_attempt(x, i, attempt_outcome::failed_permanent, s.error);
  begin_undo(x, "step `" + x.definition_of(i).name + "` failed for good: " + s.error);
}

namespace {

/// Begins to wait for somebody.
void ask(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  auto& s = x.t.steps.change(i);
  const auto reminded = rule.remind_every > span{0} ? std::min(rule.remind_every, rule.length) : rule.length;
  let_wait(s, x.now + reminded, {});
}

void begin_wait_for_event(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  auto key = event_key_of(value_of(x, rule.at));
  if (key.problem.empty() && key.text.empty() && !waits_without_key(rule))
    key.problem = "is empty";
  if (!key.problem.empty())
    return fail_wait(x, i, "its key " + where(rule.at) + " " + key.problem);
  auto& s = x.t.steps.change(i);
  s.wait.change().event_key = std::move(key.text);
  let_wait(s, x.now + rule.length, {});
}

/// The store makes it, or those of its items.
void await_child(draft& x, std::size_t i) {
  let_wait(x.t.steps.change(i), forward_ends_at(x.t, x.d), {}); // then the task is undone
}

void begin_sleep(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  auto end = end_of(rule, rule.what != wait_rule::kind::sleep ? value_of(x, rule.at) : std::string{}, x.now);
  if (!end.problem.empty())
    end.problem = where(rule.at) + " " + end.problem;
  else
    end.problem = why_too_long(x, end.at);
  if (!end.problem.empty())
    fail_wait(x, i, std::move(end.problem));
  else if (end.at <= x.now)
    end_wait(x, i);
  else
    let_wait(x.t.steps.change(i), end.at, {});
}

/// Nobody has answered yet.
void remind(draft& x, std::size_t i, instant until) {
  const auto& rule = *x.definition_of(i).wait;
  auto& s = x.t.steps.change(i);
  s.wait_alerted = true;
  raise_alert(x, "waiting",
              "step `" + x.definition_of(i).name + "` waits for the answer of a person with the role `" + rule.name
                + "`: " + clipped(rule.question, note_size_max),
              x.definition_of(i).name);
  let_wait(s, std::min(x.now + rule.remind_every, until), {});
}

/// What it waited for has not come.
void miss(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  const bool is_event = rule.what == wait_rule::kind::event;
  const auto why = is_event ? "no event `" + rule.name + "` came in time" : std::string{"nobody answered in time"};
  if (!is_event)
    raise_alert(x, "unanswered",
                "step `" + x.definition_of(i).name + "`: " + why + ": " + clipped(rule.question, note_size_max));
  if (rule.passes_at_limit)
    return pass_wait(x, i, blob{"null"}, {}, why);
  auto& s = x.t.steps.change(i);
  s.wait_alerted = false;
  let_wait(s, unset, {});
  fail_wait(x, i, why);
}

} // namespace

void begin_wait(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  const bool has_source =
    rule.what == wait_rule::kind::until || rule.what == wait_rule::kind::next || rule.what == wait_rule::kind::event;
  if (has_source && rule.at.from == source::kind::payload && x.t.payload.empty())
    return;
  auto& s = x.t.steps.change(i);
  if (s.attempt == 0)
    tell_observer(x, notice_kind::step_started, {}, x.definition_of(i).name);
  s.state = step_state::waiting;
  if (starts_child(x.definition_of(i)) && !s.maybe_done)
    x.begun.push_back(i);
  s.maybe_done = false;
  if (!s.wait->progress.empty())
    s.wait.change().progress.clear();
  log_attempt(x, s, attempt_action::perform, {});
  switch (rule.what) {
    case wait_rule::kind::person: return ask(x, i);
    case wait_rule::kind::event: return begin_wait_for_event(x, i);
    case wait_rule::kind::child:
    case wait_rule::kind::items: return await_child(x, i);
    default: return begin_sleep(x, i);
  }
}

void pass_wait(draft& x, std::size_t i, blob result, std::vector<fact> facts, std::string_view note) {
  auto& s = x.t.steps.change(i);
  close_attempt(x, i, attempt_outcome::succeeded, note);
  let_wait(s, unset, {});
  s.wait_alerted = false;
  x.t.takeovers = 0;
  complete(x, i, std::move(result), std::move(facts));
}

void end_wait(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  const auto& s = x.t.steps[i];
  if (starts_child(x.definition_of(i)))
    return await_child(x, i);
  if (!is_until_told(rule))
    return pass_wait(x, i, {}, {}, std::string{s.waiting_for});
  const auto until = told_until(s, rule);
  if (rule.what == wait_rule::kind::person && rule.remind_every > span{0} && x.now < until)
    remind(x, i, until);
  else
    miss(x, i);
}

void stop_wait(draft& x, std::size_t i, std::string_view why) {
  close_attempt(x, i, attempt_outcome::stopped, why);
  auto& s = x.t.steps.change(i);
  let_wait(s, unset, {});
  s.wait_alerted = false;
  if (!s.wait->event_key.empty())
    s.wait.change().event_key.clear();
  const bool has_just_begun = std::find(x.begun.begin(), x.begun.end(), i) != x.begun.end();
  s.maybe_done = starts_child(x.definition_of(i)) && !has_just_begun; // else there is one, which goes on
  back_to_start(s);
}

void begin_undo_of_child(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  if (!is_undo_of_child_awaited(s, x.definition_of(i)))
    log_attempt(x, s, attempt_action::compensate, {});
  s.state = step_state::compensating;
  let_wait(s, x.now + span_max, {}); // nothing of it is due: its end is an event
}

} // namespace steadfast::workflow
