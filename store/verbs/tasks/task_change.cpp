#include "store/verbs/tasks/task_change.hpp"

#include "store/records/record.hpp"
#include "store/verbs/decide_schedule.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>

namespace steadfast::store {

namespace {

void alerts_over(const std::vector<alert_entry>& alerts, const workflow::task& next, const workflow::definition& d,
                 std::vector<alert_over>& into) {
  for (const auto& x : alerts) {
    if (!workflow::is_about_present_state(x.what) || workflow::still_holds(x.what, next, d))
      continue;
    const auto at = std::max(workflow::last_changed_at(next), x.what.at);
    into.push_back({x.number, at, acknowledged(x, moved_on, at, false)});
  }
}

void apply_to(std::vector<large_result>& large, const std::vector<result_change>& changes) {
  for (const auto& c : changes) {
    const auto at = first_from(large, c.is.step);
    if (!c.was_there)
      large.insert(at, c.is);
    else if (c.is_large)
      large[static_cast<std::size_t>(at - large.begin())] = c.is;
    else
      large.erase(at);
  }
}

} // namespace

bool needs_payload(const task_outline& there, const next_state& next) {
  return next.payload_changed && !there.definition->index.empty();
}

bool needs_alerts(const task_outline& there) {
  return there.is_in_trouble;
}

/// A result never changes once a step has one (workflow/transition/transition.hpp), and a task may be updated without
/// its large results having been read: an empty one stands for the stored one.
void results_of(const workflow::task& t, const workflow::step_list& earlier, const std::vector<large_result>& before,
                std::vector<result_change>& into) {
  into.clear();
  each_difference(earlier, t.steps, [&](std::size_t at) {
    const auto& result = t.steps[at].result;
    const auto i = static_cast<std::uint32_t>(at);
    if (result.empty())
      return;
    const auto found = first_from(before, i);
    const bool was_there = found != before.end() && found->step == i;
    const bool is_large = result.size() > result_inline_max;
    if (!is_large && !was_there)
      return;
    const large_result is{i, result.size(), hash_of(result.view())};
    if (!was_there || *found != is)
      into.push_back({is, was_there, is_large});
  });
}

void change_of(const task_outline& there, const also_read& known, const next_state& next, task_change& into) {
  const auto& t = next.task;
  const auto& d = *there.definition;
  into.revision = there.revision + 1;
  into.from = there.placed();
  into.to = index_position_of(t, d);
  const bool is_in_new_state = there.state != t.state;
  into.ending = is_in_new_state ? workflow::ending_of(there.state, t) : std::nullopt;
  into.has_ended = is_in_new_state && workflow::has_ended(t);
  into.frees_schedule = is_in_new_state && !is_open_for_schedules(t.state);
  results_of(t, there.sound.steps, there.large, into.results);
  into.payload_changed = next.payload_changed;
  into.index_before.clear();
  into.index_after.clear();
  if (next.payload_changed && !d.index.empty()) {
    into.index_before = workflow::indexed_values(d, known.payload.view());
    into.index_after = workflow::indexed_values(d, t.payload.view());
  }
  into.has_observer = !t.reply_to.empty();
  into.over.clear();
  alerts_over(known.alerts, t, d, into.over);
  into.raised.clear();
  for (const auto& a : next.alerts) {
    auto& x = into.raised.emplace_back(raised_alert{t.number, t.id, a, workflow::signature_of(a, &t, &d)});
    if (!t.parent.empty()) // which its signature leaves out
      x.what.text += "; its parent is " + workflow::quoted(t.parent->id);
  }
}

bool is_news_besides(const task_change& c, std::uint64_t number, std::uint64_t named) {
  return c.has_ended && number != named;
}

void follow(task_outline& there, const workflow::task& next, const task_change& c) {
  apply_to(there.large, c.results);
  if (c.payload_changed)
    there.payload_size = next.payload.size();
  there.follow(next, c.revision, c.to);
}

} // namespace steadfast::store
