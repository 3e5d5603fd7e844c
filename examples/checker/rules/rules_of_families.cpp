#include "examples/checker/rules/rules.hpp"

#include <algorithm>
#include <limits>

// E17, E18, E22: tasks and those that they start, and tasks with one key or of one schedule.

namespace checker {

namespace {

std::string task_text(const sorted_history& h, const task& t) {
  return "task " + h.text(t.id);
}

void check_end(const sorted_history& h, const task& parent, const task& child, finding& e17) {
  e17.expect(child.state == parent.state, [&] {
    return task_text(h, child) + " is " + std::string{to_string(child.state)} + ", its parent "
           + std::string{to_string(parent.state)};
  });
}

bool is_completed(const step* s) {
  return s && s->state == step_state::completed;
}

/// The client knows how many there are: the store's word is not taken for it.
void check_items(const sorted_history& h, const task& t, finding& e17) {
  const auto client = h.all().clients.find(t.id);
  if (client == h.all().clients.end())
    return;
  for (const auto& [step_name, count] : client->second.items) {
    const auto found =
      std::find_if(t.steps.begin(), t.steps.end(), [name = step_name](const step& s) { return s.name == name; });
    if (found == t.steps.end() || found->state == step_state::skipped)
      continue;
    const auto& children = h.children_of(t.id);
    const auto processed = std::count_if(children.begin(), children.end(), [&](const task* child) {
      return step_that_started(h.all(), t, *child) == &*found && child->state == process_state::processed;
    });
    e17.expect(static_cast<std::uint32_t>(processed) == count, [&, count = count] {
      return task_text(h, t) + " step " + h.text(found->name) + " has " + std::to_string(count) + " items, and "
             + std::to_string(processed) + " of them were processed";
    });
  }
}

} // namespace

void check_children(const sorted_history& h, const task_case& c, finding& e17) {
  const auto& t = *c.task;
  const bool is_processed = t.state == process_state::processed;
  if (t.acts > 0 || (!is_processed && t.state != process_state::undone))
    return;
  for (const auto* child : h.children_of(t.id))
    if (child->acts == 0 && (!is_processed || is_completed(step_that_started(h.all(), t, *child))))
      check_end(h, t, *child, e17);
  if (is_processed)
    check_items(h, t, e17);
}

limit_of_group limit_of_client(const sorted_history& h, const task& submitted) {
  const auto client = h.all().clients.find(submitted.id);
  return client == h.all().clients.end() ? limit_of_group{}
                                         : limit_of_group{client->second.limit_key, client->second.limit};
}

limit_of_group limit_of_schedule(const sorted_history& h, const task& submitted) {
  const auto known = h.all().schedules.find(submitted.schedule);
  return known == h.all().schedules.end() || !known->second.one_at_a_time ? limit_of_group{}
                                                                          : limit_of_group{known->first, 1};
}

void tasks_under_way::note(const task_case& c) {
  const auto* first = c.task;
  while (const auto* parent = first->parent != 0 ? h_.find(first->parent) : nullptr)
    first = parent;
  const auto of = limit_(h_, *first);
  if (of.limit == 0)
    return;
  auto& span = spans_[first->id];
  span.of = of;
  for (const auto& e : c.steps) {
    if (e.first_do_ns)
      span.began_ns = std::min(span.began_ns.value_or(*e.first_do_ns), *e.first_do_ns);
    span.ended_ns = std::max({span.ended_ns, e.first_effect_ns.value_or(0), e.first_good_undo_ns.value_or(0)});
  }
  for (const auto& w : h_.wakes_of(c.task->id))
    if (w.acknowledged_ns && w.what != wake::kind::event)
      span.ended_ns = std::max(span.ended_ns, w.sent_ns);
  if (first->state != process_state::processed && first->state != process_state::undone)
    span.ended_ns = std::numeric_limits<std::int64_t>::max(); // it keeps its place
}

void tasks_under_way::check_limits(finding& f) const {
  struct change {
    std::int64_t at_ns;
    int by; ///< an end before a beginning at the same moment
    auto operator<=>(const change&) const = default;
  };
  struct group {
    std::uint32_t limit = 0;
    std::vector<change> changes;
  };
  std::unordered_map<names::id, group> groups; // by key
  for (const auto& [id, span] : spans_) {
    if (!span.began_ns)
      continue;
    auto& g = groups[span.of.key];
    g.limit = span.of.limit;
    g.changes.push_back({*span.began_ns, 1});
    g.changes.push_back({std::max(span.ended_ns, *span.began_ns + 1), -1}); // also one call takes time
  }
  for (auto& [key, g] : groups) {
    std::sort(g.changes.begin(), g.changes.end());
    int now = 0;
    int most = 0;
    for (const auto& change : g.changes)
      most = std::max(most, now += change.by);
    f.expect(most <= static_cast<int>(g.limit), [&, key = key, &g = g] {
      return "of key " + h_.text(key) + " " + std::to_string(most) + " tasks were under way at a time, the limit is "
             + std::to_string(g.limit);
    });
  }
}

} // namespace checker
