#include "store/outline/index_position.hpp"

#include "workflow/supervision/retention.hpp"

namespace steadfast::store {

bool names_workflow(const index_position& p) {
  return p.is_claimable || p.ended_at != workflow::unset;
}

index_position index_position_of(const workflow::task& t, const workflow::definition& d) {
  index_position p;
  p.state = t.state;
  p.due = workflow::next_due(t, d);
  p.locked_by = t.locked_by;
  p.is_claimable = workflow::is_claimable(t);
  if (p.is_claimable) {
    p.priority = t.priority;
    p.not_before = t.not_before;
  }
  if (workflow::may_leave(t.state))
    p.ended_at = t.ended_at;
  if (names_workflow(p))
    p.workflow = t.workflow;
  return p;
}

} // namespace steadfast::store
