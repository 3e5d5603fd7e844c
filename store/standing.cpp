#include "store/standing.hpp"

#include "workflow/incident.hpp"

#include <utility>

namespace steadfast::store {

kept_placement& kept_placement::operator=(const placement& p) {
  locked_by_ = p.locked_by;
  place_ = p;
  place_.locked_by = place_.workflow = {};
  return *this;
}

placement kept_placement::of(std::string_view workflow_name) const {
  auto p = place_;
  p.locked_by = locked_by_;
  if (names_workflow(p))
    p.workflow = workflow_name;
  return p;
}

void standing::follow(const workflow::task& next, std::uint64_t its_revision, const placement& its_place) {
  state = next.state;
  lock_epoch = next.lock_epoch;
  revision = its_revision;
  notices = next.notices;
  is_in_trouble = workflow::is_in_trouble(next);
  place = its_place;
}

standing standing_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                     std::vector<large_result> large, definition_cache::entry d) {
  standing s;
  s.id = t.id;
  s.workflow = t.workflow;
  s.version = t.version;
  s.priority = t.priority;
  s.reply_to = t.reply_to;
  s.payload_size = payload_size;
  s.large = std::move(large);
  s.follow(t, revision, placement_of(t, *d));
  s.definition = std::move(d);
  return s;
}

standing standing_of(const snapshot::known_task& t) {
  return standing_of(t.state.task, t.state.task.revision, t.state.payload_size, t.state.large, t.definition);
}

} // namespace steadfast::store
