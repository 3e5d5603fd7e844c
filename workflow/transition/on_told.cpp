// What a waiting step waits for has come: an event, or the answer of a person.

#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"
#include "workflow/transition/handlers.hpp"
#include "workflow/transition/wait.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

/// Why step `i` does not wait for that, if so.
std::optional<ruling> does_not_wait(const draft& x, std::size_t i, wait_rule::kind what) {
  if (i >= x.t.steps.size())
    return refused("there is no such step");
  const auto& rule = x.definition_of(i).wait;
  if (!rule || rule->what != what)
    return refused(what == wait_rule::kind::event ? "the step waits for no event" : "the step asks nobody");
  if (x.t.steps[i].state != step_state::waiting)
    return refused("the step is " + std::string{to_string(x.t.steps[i].state)} + " and does not wait");
  return std::nullopt;
}

} // namespace

ruling on(draft& x, const event_came& e) {
  if (auto no = does_not_wait(x, e.step, wait_rule::kind::event))
    return *no;
  if (e.number <= last_event_taken(x.t, x.d, e.step))
    return ignored("the task has taken that event, or one after it");
  x.t.steps.change(e.step).wait.change().event = e.number;
  pass_wait(x, e.step, e.data, e.facts, "event " + std::to_string(e.number) + (e.who.empty() ? "" : " of " + e.who));
  advance(x);
  queue_again(x);
  return applied();
}

ruling on(draft& x, const answered& e) {
  if (auto no = does_not_wait(x, e.step, wait_rule::kind::person))
    return *no;
  const auto& rule = *x.definition_of(e.step).wait;
  const auto& choices = rule.choices;
  if (x.now >= told_until(x.t.steps[e.step], rule))
    return refused("its time is over");
  if (e.attempt != x.t.steps[e.step].attempt)
    return refused("the question was asked anew");
  if (std::find(choices.begin(), choices.end(), e.choice) == choices.end())
    return refused(quoted(e.choice) + " is none of the choices: " + joined(choices, ", "));
  record_act(x, e.person, "answer step `" + x.definition_of(e.step).name + "`: " + e.choice);
  pass_wait(x, e.step, e.result, e.facts, e.choice + ", by " + e.person.who);
  advance(x);
  queue_again(x);
  return applied();
}

} // namespace steadfast::workflow
