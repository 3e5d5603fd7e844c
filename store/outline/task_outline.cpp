#include "store/verbs/task_outline.hpp"

#include "workflow/transition/incident.hpp"

#include <utility>

namespace steadfast::store {

kept_index_position& kept_index_position::operator=(const index_position& p) {
  locked_by_ = p.locked_by;
  place_ = p;
  place_.locked_by = place_.workflow = {};
  return *this;
}

index_position kept_index_position::of(std::string_view workflow_name) const {
  auto p = place_;
  p.locked_by = locked_by_;
  if (names_workflow(p))
    p.workflow = workflow_name;
  return p;
}

void task_outline::follow(const workflow::task& next, std::uint64_t its_revision, const index_position& its_place) {
  state = next.state;
  lock_epoch = next.lock_epoch;
  revision = its_revision;
  notices = next.notices;
  is_in_trouble = workflow::is_in_trouble(next);
  place = its_place;
  if (next.steps.size() > workflow::step_list::stretch_size)
    sound = next;
}

task_outline outline_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                        std::vector<large_result> large, definition_cache::entry d) {
  task_outline s;
  s.id = t.id;
  s.workflow = t.workflow;
  s.version = t.version;
  s.priority = t.priority;
  s.reply_to = t.reply_to;
  s.payload_size = payload_size;
  s.large = std::move(large);
  s.follow(t, revision, index_position_of(t, *d));
  s.definition = std::move(d);
  return s;
}

task_outline outline_of(const known_task& t) {
  return outline_of(t.state.task, t.state.task.revision, t.state.payload_size, t.state.large, t.definition);
}

} // namespace steadfast::store
