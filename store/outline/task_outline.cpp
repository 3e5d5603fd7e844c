#include "store/outline/task_outline.hpp"

#include "workflow/on_call/incident.hpp"

#include <algorithm>
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

std::vector<waiting_step> waiting_steps(const workflow::task& t) {
  std::vector<waiting_step> all;
  t.steps.each<workflow::step_mark::tried>([&](std::size_t i) {
    if (const auto& s = t.steps[i]; s.state == workflow::step_state::waiting)
      all.push_back({i, s.attempt, s.wait->event_key});
  });
  return all;
}

namespace {

bool is_any_undone(const workflow::task& t) {
  return std::any_of(t.steps.begin(), t.steps.end(),
                     [](const workflow::step& s) { return s.state == workflow::step_state::compensating; });
}

} // namespace

void task_outline::follow(const workflow::task& next, std::uint64_t its_revision, const index_position& its_place) {
  state = next.state;
  priority = next.priority;
  lock_epoch = next.lock_epoch;
  revision = its_revision;
  notices = next.notices;
  is_in_trouble = workflow::is_in_trouble(next);
  place = its_place;
  waiting = waiting_steps(next);
  const bool is_kept = have_rows(next.steps) || !next.locked_by.empty() || is_any_undone(next); // maybe by its tasks
  sound = is_kept ? workflow::sound_task{next} : workflow::sound_task{};
}

task_outline outline_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                        std::vector<large_result> large, const step_rows& rows, definition_cache::entry d) {
  task_outline s;
  s.id = t.id;
  s.workflow = t.workflow;
  s.version = t.version;
  s.priority = t.priority;
  s.reply_to = t.reply_to;
  s.has_parent = !t.parent.empty();
  s.payload_size = payload_size;
  s.large = std::move(large);
  s.rows = rows;
  s.follow(t, revision, index_position_of(t, *d));
  s.definition = std::move(d);
  return s;
}

task_outline outline_of(const known_task& t) {
  const auto& s = t.state;
  return outline_of(s.task, s.task.revision, s.payload_size, s.large, s.rows, t.definition);
}

bool are_untouched(const workflow::few_steps& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const workflow::step& s) { return s == workflow::step{}; });
}

std::vector<large_result>::const_iterator first_from(const std::vector<large_result>& by_step, std::size_t step) {
  return std::lower_bound(by_step.begin(), by_step.end(), step,
                          [](const large_result& x, std::size_t at) { return x.step < at; });
}

std::vector<large_result> large_from(const std::vector<large_result>& all, std::size_t first) {
  const auto begin = first_from(all, first);
  return {begin, first_from(all, first + workflow::step_list::stretch_size)};
}

} // namespace steadfast::store
