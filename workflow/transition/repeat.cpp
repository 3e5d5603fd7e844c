#include "workflow/transition/repeat.hpp"

#include "workflow/text/name.hpp"
#include "workflow/transition/attempt_end.hpp"
#include "workflow/transition/condition_holds.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

constexpr std::size_t value_told_max = 100; ///< bytes of one value

/// What it has done counts: it is undone with its task, and what fails for good after it is not as if nothing had been.
void call_again(draft& x, std::size_t i, std::uint32_t calls) {
  const auto& rule = *x.definition_of(i).repeat;
  auto& s = x.t.steps.change(i);
  reset_counts(s);
  s.maybe_done = true;
  back_to_start(s);
  s.error.clear();
  let_wait(s, x.now + rule.every,
           "its result is not as wanted after call " + std::to_string(calls) + " of " + std::to_string(rule.at_most));
}

} // namespace

void complete_or_repeat(draft& x, std::size_t i, const blob& result, const std::vector<fact>& facts) {
  const auto& rule = x.definition_of(i).repeat;
  if (!rule || is_undoing(x.t) || condition_holds(rule->until, facts))
    return complete(x, i, result, facts);
  const auto calls = ++x.t.steps.change(i).wait.change().calls;
  if (calls < rule->at_most)
    return call_again(x, i, calls);
  if (rule->passes_at_limit)
    return complete(x, i, result, facts);
  auto& s = x.t.steps.change(i);
  s.error = "its result was not as wanted after " + std::to_string(calls) + " calls";
  fail_perform(x, i, {true, true, span{0}});
}

std::string why_unexpected(const draft& x, std::size_t i, const std::vector<fact>& facts) {
  const auto& rule = x.definition_of(i).expect;
  if (!rule || is_undoing(x.t) || condition_holds(rule->is, facts))
    return {};
  std::string values;
  each_comparison(rule->is, [&](const condition& c) {
    const auto f = std::find_if(facts.begin(), facts.end(), [&](const fact& one) { return one.pointer == c.pointer; });
    values += (values.empty() ? ": " : ", ")
              + (f == facts.end() ? "there is no " + quoted(c.pointer)
                                  : quoted(c.pointer) + " is " + clipped(f->json, value_told_max));
  });
  return "its result is not as expected" + values;
}

attempt_outcome outcome_of_unexpected(const draft& x, std::size_t i) {
  return x.definition_of(i).expect->retries ? attempt_outcome::failed_transient : attempt_outcome::failed_permanent;
}

void fail_unexpected(draft& x, std::size_t i, const std::string& why) {
  x.t.steps.change(i).error = clipped(why, note_size_max);
  fail_perform(x, i, {!x.definition_of(i).expect->retries, true, span{0}});
}

} // namespace steadfast::workflow
