// Steps that an agent has begun and that end later, by a token.

#include "workflow/definition/wait_end.hpp"
#include "workflow/text/name.hpp"
#include "workflow/transition/attempt_end.hpp"
#include "workflow/transition/handlers.hpp"
#include "workflow/transition/repeat.hpp"

#include <algorithm>
#include <string_view>

namespace steadfast::workflow {

namespace {

/// How long it takes does not tell how much of them is alike.
bool is_same_digest(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

/// Why the token does nothing, if so.
std::optional<ruling> is_dead(const draft& x, const token_use& by) {
  if (by.step >= x.t.steps.size())
    return refused("there is no such step");
  const auto& s = x.t.steps[by.step];
  if (by.attempt != s.attempt)
    return refused("the token is of attempt " + std::to_string(by.attempt) + ", and attempt "
                   + std::to_string(s.attempt) + " is the current one");
  if (s.state == step_state::running && x.definition_of(by.step).later)
    return ruling{event_status::refused, "the agent's call for that attempt is not over yet; try again soon", false,
                  true};
  if (!ends_later(s))
    return refused("the token was used, or its attempt is over: the step is " + std::string{to_string(s.state)});
  if (!is_same_digest(s.wait->token, by.digest))
    return refused("the step has another token");
  if (x.now >= s.not_before)
    return refused("its time is over");
  return std::nullopt;
}

/// The attempt is over, and so is the token.
step& close_later(draft& x, const token_use& by, attempt_outcome how, std::string_view note) {
  close_attempt(x, by.step, how, note);
  auto& s = x.t.steps.change(by.step);
  s.wait.change().token.clear();
  let_wait(s, unset, {});
  note_progress(x, s);
  return s;
}

instant end_of_time(const draft& x, std::size_t i, span length) {
  const auto& rule = *x.definition_of(i).later;
  const auto wanted = length > span{0} ? length : silence_of(rule);
  return std::min({x.now + wanted, x.t.steps[i].log.back().started_at + rule.limit, forward_ends_at(x.t, x.d)});
}

} // namespace

ruling on(draft& x, const attempt_taken_on& e) {
  if (auto late = too_late(x, e.ref))
    return *late;
  const auto i = e.ref.step;
  if (x.t.steps[i].doing != attempt_action::perform || !x.definition_of(i).later || e.token.empty())
    return ruling{event_status::refused, "the attempt is not one that may end later", true};
  auto& s = x.t.steps.change(i);
  s.doing = attempt_action::none;
  s.state = step_state::waiting;
  if (e.unsettled)
    settle_later(x, i);
  auto& w = s.wait.change();
  w.token = e.token;
  w.progress.clear();
  let_wait(s, end_of_time(x, i, span{0}), {});
  note_progress(x, s);
  advance(x);
  return applied();
}

ruling on(draft& x, const later_completed& e) {
  if (auto dead = is_dead(x, e.by))
    return *dead;
  const auto why = why_unexpected(x, e.by.step, e.facts);
  close_later(x, e.by, why.empty() ? attempt_outcome::succeeded : outcome_of_unexpected(x, e.by.step), why);
  if (why.empty())
    complete_or_repeat(x, e.by.step, e.result, e.facts);
  else
    fail_unexpected(x, e.by.step, why);
  advance(x);
  if (x.definition_of(e.by.step).repeat)
    release_until_due(x); // it may be long until it is called again
  queue_again(x);
  return applied();
}

ruling on(draft& x, const later_failed& e) {
  if (auto dead = is_dead(x, e.by))
    return *dead;
  const auto how = e.permanent ? attempt_outcome::failed_permanent : attempt_outcome::failed_transient;
  auto& s = close_later(x, e.by, how, e.why);
  s.error = clipped(e.why, note_size_max);
  fail_perform(x, e.by.step, {e.permanent, e.maybe_done, e.retry_after});
  advance(x);
  queue_again(x);
  return applied();
}

ruling on(draft& x, const later_extended& e) {
  if (auto dead = is_dead(x, e.by))
    return *dead;
  if (is_undoing(x.t))
    return refused("the task is being undone: the step must end, and gets no more time");
  auto& s = x.t.steps.change(e.by.step);
  if (!e.progress.empty())
    s.wait.change().progress = clipped(e.progress, note_size_max);
  let_wait(s, end_of_time(x, e.by.step, e.length), {});
  note_progress(x, s);
  queue_again(x);
  return applied();
}

} // namespace steadfast::workflow
