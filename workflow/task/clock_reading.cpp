#include "workflow/task/clock_reading.hpp"

#include "workflow/definition/wait_end.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

/// How long any attempt of the step may take that changes something.
span longest_of(const step_definition& s) {
  const auto performed = s.later ? std::max(s.complete_by, s.later->limit) : s.complete_by;
  return s.compensation ? std::max(performed, s.compensation->complete_by) : performed;
}

void carry_step_over(step_list& steps, std::size_t i, const definition& d, const clock_reading& clock) {
  const auto& s = steps[i];
  if (s.log.empty())
    return;
  const auto action = s.log.back().action;
  const auto limit = limit_of(d.steps[i], action);
  const auto& later = d.steps[i].later;
  const auto acts_for = later && action == attempt_action::perform ? std::max(limit, later->limit) : limit;
  const bool knows_now = clock.now != never;
  const bool is_older = s.log.back().started_at < clock.set_at;
  auto complete_by = s.complete_by;
  auto settles_at = s.settles_at;
  auto not_before = s.not_before;
  if (later && ends_later(s)) {
    not_before = std::max(not_before, is_older ? clock.set_at + silence_of(*later) : unset);
    not_before = std::min(not_before, knows_now ? clock.now + later->limit : never);
  }
  if (s.doing != attempt_action::none) {
    complete_by = std::max(complete_by, is_older ? clock.set_at + limit : unset);
    complete_by = std::min(complete_by, knows_now ? clock.now + limit : never);
  }
  if (s.settles_at != unset) {
    settles_at = std::max(settles_at, is_older ? clock.set_at + acts_for + d.grace : unset);
    settles_at = std::min(settles_at, knows_now ? clock.now + longest_of(d.steps[i]) + d.grace : never);
  }
  if (complete_by == s.complete_by && settles_at == s.settles_at && not_before == s.not_before)
    return;
  auto& changed = steps.change(i);
  changed.complete_by = complete_by;
  changed.settles_at = settles_at;
  changed.not_before = not_before;
}

} // namespace

void carry_over(task& t, const definition& d, const clock_reading& clock) {
  if (clock.set_at == unset)
    return;
  const auto carry = [&](std::size_t i) { carry_step_over(t.steps, i, d, clock); };
  t.steps.each<step_mark::open>(carry);
  t.steps.each<step_mark::settles>(carry);
  t.steps.each<step_mark::tried>(carry);
}

} // namespace steadfast::workflow
