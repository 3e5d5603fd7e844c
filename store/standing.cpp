#include "store/standing.hpp"

#include <utility>

namespace steadfast::store {

namespace {

/// A scheduler has it and will change it soon. One that waits may wait for long.
bool is_in_hand(const standing& s) {
  return !s.locked_by.empty();
}

} // namespace

placement standing::placed() const {
  auto p = place;
  p.locked_by = locked_by;
  if (p.ended_at != workflow::unset)
    p.workflow = workflow;
  return p;
}

standing standing_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                     std::vector<large_result> large, definition_cache::entry d) {
  standing s;
  s.id = t.id;
  s.workflow = t.workflow;
  s.version = t.version;
  s.priority = t.priority;
  s.reply_to = t.reply_to;
  s.state = t.state;
  s.lock_epoch = t.lock_epoch;
  s.revision = revision;
  s.notices = t.notices;
  s.payload_size = payload_size;
  s.large = std::move(large);
  s.place = placement_of(t, *d);
  s.locked_by = s.place.locked_by;
  s.place.locked_by = {};
  s.place.workflow = {};
  s.definition = std::move(d);
  return s;
}

standing standing_of(const snapshot::known_task& t) {
  return standing_of(t.state.task, t.state.task.revision, t.state.payload_size, t.state.large, t.definition);
}

std::shared_ptr<const standing> standings::find(std::uint64_t number) const {
  const auto found = entries_.find(number);
  return found == entries_.end() ? nullptr : found->second;
}

void standings::take_over(changes& committed) {
  if (entries_.size() + committed.size() > tasks_max)
    entries_.clear();
  for (auto& [number, now] : committed)
    if (now && is_in_hand(*now))
      entries_[number] = std::move(now);
    else
      entries_.erase(number);
  committed.clear();
}

} // namespace steadfast::store
