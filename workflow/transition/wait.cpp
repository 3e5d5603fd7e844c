#include "workflow/transition/wait.hpp"

#include "workflow/definition/wait_end.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"
#include "workflow/time/time_text.hpp"
#include "workflow/transition/advance.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

/// The JSON text that the wait goes by; empty: there is none.
std::string value_of(const draft& x, const source& at) {
  const auto payload = x.t.payload.view();
  switch (at.from) {
    case source::kind::literal: return at.literal;
    case source::kind::payload:
      return is_json(payload) ? std::string{json_value_at(payload, at.pointer).value_or("")} : std::string{};
    case source::kind::result: break;
  }
  const auto& facts = x.t.steps[*find_step(x.d, at.step)].facts;
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const fact& f) { return f.pointer == at.pointer; });
  return found == facts.end() ? std::string{} : found->json;
}

std::string where(const source& at) {
  return (at.from == source::kind::payload ? "payload" : at.step) + ":" + at.pointer;
}

/// Why a task may not wait until `at`; empty: it may.
std::string why_too_long(const draft& x, instant at) {
  const auto last = forward_ends_at(x.t, x.d);
  return at < last ? "" : "it would wait until " + utc_text(at) + ", and forward work ends at " + utc_text(last);
}

void fail(draft& x, std::size_t i, std::string why) {
  auto& s = x.t.steps.change(i);
  s.error = clipped(why, note_size_max);
  s.state = step_state::failed;
  close_attempt(x, i, attempt_outcome::failed_permanent, s.error);
  begin_undo(x, "step `" + x.definition_of(i).name + "` failed for good: " + s.error);
}

} // namespace

void begin_wait(draft& x, std::size_t i) {
  const auto& rule = *x.definition_of(i).wait;
  const bool has_source = rule.what != wait_rule::kind::sleep;
  if (has_source && rule.at.from == source::kind::payload && x.t.payload.empty())
    return;
  auto& s = x.t.steps.change(i);
  if (s.attempt == 0)
    tell_observer(x, notice_kind::step_started, {}, x.definition_of(i).name);
  s.state = step_state::waiting;
  log_attempt(x, s, attempt_action::perform, {});
  auto end = end_of(rule, has_source ? value_of(x, rule.at) : std::string{}, x.now);
  if (!end.problem.empty())
    end.problem = where(rule.at) + " " + end.problem;
  else
    end.problem = why_too_long(x, end.at);
  if (!end.problem.empty())
    fail(x, i, std::move(end.problem));
  else if (end.at <= x.now)
    pass_wait(x, i);
  else
    let_wait(s, end.at, {});
}

void pass_wait(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  close_attempt(x, i, attempt_outcome::succeeded, s.waiting_for);
  let_wait(s, unset, {});
  x.t.takeovers = 0;
  complete(x, i, {}, {});
}

void stop_wait(draft& x, std::size_t i, std::string_view why) {
  close_attempt(x, i, attempt_outcome::stopped, why);
  auto& s = x.t.steps.change(i);
  let_wait(s, unset, {});
  back_to_start(s);
}

} // namespace steadfast::workflow
