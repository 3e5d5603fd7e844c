#include "workflow/step/step_summary.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

constexpr std::uint64_t place_of(step_mark m) {
  return std::uint64_t{1} << 8 * static_cast<unsigned>(m);
}

/// With the lowest bit of each mark's byte.
std::uint64_t marks_of(const step& s) {
  const auto if_has = [](bool has, step_mark m) { return has ? place_of(m) : 0; };
  return if_has(has_mark<step_mark::open>(s), step_mark::open)
         | if_has(has_mark<step_mark::unfinished>(s), step_mark::unfinished)
         | if_has(has_mark<step_mark::tried>(s), step_mark::tried)
         | if_has(has_mark<step_mark::untried>(s), step_mark::untried)
         | if_has(has_mark<step_mark::acted>(s), step_mark::acted)
         | if_has(has_mark<step_mark::undo_failed>(s), step_mark::undo_failed)
         | if_has(has_mark<step_mark::burdened>(s), step_mark::burdened)
         | if_has(has_mark<step_mark::settles>(s), step_mark::settles);
}

/// Nothing has happened to it.
bool is_new(const step& s) {
  return s.state == step_state::not_started && s.attempt == 0 && s.doing == attempt_action::none && !is_burdened(s)
         && !s.maybe_done && s.settles_at == unset && s.completed_order == 0;
}

void add_moments(step_summary& sum, const step& s) {
  sum.last_order = std::max(sum.last_order, s.completed_order);
  sum.settles_at = std::max(sum.settles_at, s.settles_at);
  sum.needs_review = sum.needs_review || s.needs_review;
  if (s.doing != attempt_action::none) {
    sum.open_until = std::min(sum.open_until, s.complete_by);
    return;
  }
  if (s.not_before != unset)
    sum.wakes_at = std::min(sum.wakes_at, s.not_before);
  if (s.waiting_since != unset && !s.wait_alerted)
    sum.waits_since = std::min(sum.waits_since, s.waiting_since);
}

} // namespace

void step_summary::add(const step_summary& other) {
  marks |= other.marks;
  last_order = std::max(last_order, other.last_order);
  needs_review = needs_review || other.needs_review;
  open_until = std::min(open_until, other.open_until);
  wakes_at = std::min(wakes_at, other.wakes_at);
  waits_since = std::min(waits_since, other.waits_since);
  settles_at = std::max(settles_at, other.settles_at);
}

step_summary summary_of(const few_steps& steps) {
  step_summary sum;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (is_new(steps[i])) {
      sum.marks |= (place_of(step_mark::unfinished) | place_of(step_mark::untried)) << i;
      continue;
    }
    sum.marks |= marks_of(steps[i]) << i;
    add_moments(sum, steps[i]);
  }
  return sum;
}

} // namespace steadfast::workflow
