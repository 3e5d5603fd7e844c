#include "store/outline/index_position.hpp"

#include "store/records/record.hpp"
#include "workflow/supervision/retention.hpp"

#include <string>

namespace steadfast::store {

namespace {

workflow::instant kept_until(const workflow::limit_place& place, const workflow::limit_rule& rule) {
  return place.begun_at == workflow::unset ? workflow::unset : place.begun_at + rule.per;
}

} // namespace

bool names_workflow(const index_position& p) {
  return p.is_claimable || p.ended_at != workflow::unset;
}

std::uint64_t group_of(std::string_view workflow, std::string_view pointer, std::string_view key) {
  std::string text;
  for (const auto part : {workflow, pointer, key})
    text.append(part).push_back('\0'); // which none of them has
  return hash_of(text) | std::uint64_t{1} << 63U;
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
  if (!t.limit.empty() && d.limit)
    p.group = {group_of(t.workflow, d.limit->pointer, t.limit->key), d.limit->at_a_time,
               p.is_claimable && workflow::waits_for_key(t), t.limit->is_under_way, kept_until(*t.limit, *d.limit)};
  return p;
}

} // namespace steadfast::store
