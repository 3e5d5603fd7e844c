#include "workflow/on_call/undo_plan.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/transition/transition.hpp"

namespace steadfast::workflow {

undo_plan plan_undo(const task& t, const definition& d, const event& request, const clock_reading& clock) {
  const auto change = apply(t, d, request, clock);
  const bool is_taken = change.result == event_status::applied;
  const auto& seen = change.next;
  return {is_taken ? "" : change.reason, undo_order(seen, d), left_in_place(seen, d)};
}

} // namespace steadfast::workflow
