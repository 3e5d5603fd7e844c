#include "workflow/clock_reading.hpp"

#include "workflow/mutant.hpp"

#include <algorithm>

namespace steadfast::workflow {

void carry_over(task& t, const definition& d, instant set_at) {
  if (set_at == unset || mutant("clock_not_carried_over"))
    return;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    auto& s = t.steps[i];
    if (s.log.empty() || s.log.back().started_at >= set_at)
      continue;
    const auto over = set_at + limit_of(d.steps[i], s.log.back().action);
    if (s.doing != attempt_action::none)
      s.complete_by = std::max(s.complete_by, over);
    if (s.settles_at != unset)
      s.settles_at = std::max(s.settles_at, over + d.grace);
  }
}

} // namespace steadfast::workflow
