#include "workflow/supervision/review.hpp"

#include "workflow/on_call/incident.hpp"
#include "workflow/task/waiting.hpp"

#include <iterator>
#include <utility>

namespace steadfast::workflow {

namespace {

/// Whether the expiry of the step's open attempt leaves something for the supervisor to count.
bool counts(const task& t, const step& s) {
  return t.state != process_state::suspended && (s.doing == attempt_action::compensate || !is_undoing(t));
}

void review_step(std::vector<event>& found, const task& t, const definition& d, std::size_t i, instant now) {
  const auto& s = t.steps[i];
  const bool resting = t.state == process_state::suspended;
  if (s.doing != attempt_action::none && s.complete_by <= now) {
    found.push_back(attempt_expired{{i, s.attempt, t.lock_epoch}});
    if (counts(t, s))
      found.push_back(round_failed{i, s.attempt});
  } else if (s.needs_review && !resting) {
    found.push_back(round_failed{i, s.attempt});
  }
  if (!resting && s.waiting_since != unset && !s.wait_alerted && s.waiting_since + d.alert_after <= now)
    found.push_back(wait_noticed{i});
}

/// A wait has been over for longer than any living scheduler would need to go on.
bool is_orphaned(const task& t, instant now, span slack) {
  if (t.locked_by.empty() || t.state == process_state::suspended)
    return false;
  bool is = false;
  t.steps.each<step_mark::burdened>([&](std::size_t i) {
    const auto& s = t.steps[i];
    is =
      is
      || (s.doing == attempt_action::none && !s.needs_review && s.not_before != unset && s.not_before + slack <= now);
  });
  return is;
}

/// No wake-up will come: the next scheduler that takes it finds out what to do.
bool is_forgotten(const task& t, const definition& d) {
  return !t.locked_by.empty() && !has_next_thing(t, d);
}

/// `starts_nothing`: after an attempt that has expired, as in apply().
change applied_in_order(const task& t, const definition& d, const std::vector<event>& events,
                        const clock_reading& clock, bool starts_nothing = false) {
  change all;
  all.next = t;
  for (const auto& e : events) {
    auto one = apply(all.next, d, e, clock, starts_nothing && std::holds_alternative<attempt_expired>(e));
    if (one.result != event_status::applied)
      continue;
    all.result = event_status::applied;
    all.next = std::move(one.next);
    std::move(one.notices.begin(), one.notices.end(), std::back_inserter(all.notices));
    std::move(one.alerts.begin(), one.alerts.end(), std::back_inserter(all.alerts));
  }
  // What one event has told of may be over by the next: nobody would close it any more.
  std::erase_if(all.alerts, [&](const alert& a) { return is_about_present_state(a) && !still_holds(a, all.next, d); });
  return all;
}

} // namespace

std::vector<event> review(const task& stored, const definition& d, const clock_reading& clock, span slack) {
  std::vector<event> found;
  if (has_ended(stored))
    return found;
  task t = stored;
  carry_over(t, d, clock);
  const auto now = clock.now;
  if (is_forward(t) && forward_ends_at(t, d) <= now)
    found.push_back(deadline_passed{});
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    review_step(found, t, d, i, now);
  if (is_orphaned(t, now, slack) || is_forgotten(t, d))
    found.push_back(lock_lapsed{});
  return found;
}

change apply_review(const task& t, const definition& d, const clock_reading& clock, span slack) {
  const auto events = review(t, d, clock, slack);
  auto all = applied_in_order(t, d, events, clock);
  if (!is_undoing(all.next) || is_undoing(t))
    return all;
  return applied_in_order(t, d, events, clock, true);
}

alert alert_of_stuck(const std::string& why, const task& t, const task& next, instant now) {
  const bool is_freed = !t.locked_by.empty() && next.locked_by.empty();
  return {"stuck", "it was stuck: " + why + (is_freed ? "; it was freed" : "; it goes on"), {}, now};
}

} // namespace steadfast::workflow
