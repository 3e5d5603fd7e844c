#include "workflow/clock_reading.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

/// How long any attempt of the step may take that changes something.
span longest_of(const step_definition& s) {
  return s.compensation ? std::max(s.complete_by, s.compensation->complete_by) : s.complete_by;
}

} // namespace

void carry_over(task& t, const definition& d, const clock_reading& clock) {
  if (clock.set_at == unset)
    return;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    auto& s = t.steps[i];
    if (s.log.empty())
      continue;
    const auto limit = limit_of(d.steps[i], s.log.back().action);
    const bool knows_now = clock.now != never;
    const bool is_older = s.log.back().started_at < clock.set_at;
    if (s.doing != attempt_action::none) {
      s.complete_by = std::max(s.complete_by, is_older ? clock.set_at + limit : unset);
      s.complete_by = std::min(s.complete_by, knows_now ? clock.now + limit : never);
    }
    if (s.settles_at != unset) {
      s.settles_at = std::max(s.settles_at, is_older ? clock.set_at + limit + d.grace : unset);
      s.settles_at = std::min(s.settles_at, knows_now ? clock.now + longest_of(d.steps[i]) + d.grace : never);
    }
  }
}

} // namespace steadfast::workflow
