#include "examples/checker/rules/rules.hpp"

#include <algorithm>
#include <unordered_set>

// E1, E2, E4, E5, E11: how tasks ended.

namespace checker {

namespace {

std::string task_text(const sorted_history& h, names::id id) {
  return "task " + h.text(id);
}

std::string step_text(const sorted_history& h, const task& t, const step& s) {
  return task_text(h, t.id) + " step " + h.text(s.name);
}

/// Only a person's act can change an outcome that a client was told; an act on a task that it started, only an error.
bool agrees(const std::vector<process_state>& told, const task& t) {
  return t.acts > 0 || std::all_of(told.begin(), told.end(), [&](process_state s) {
           return s == t.state || (t.is_reopened && s == process_state::error);
         });
}

void check_task_outcome(const sorted_history& h, const task& t, finding& e1) {
  e1.expect(h.settings().allow_open || has_ended(t.state),
            [&] { return task_text(h, t.id) + " is still " + std::string{to_string(t.state)}; });
  const auto told = h.all().clients.find(t.id);
  if (told == h.all().clients.end() || agrees(told->second.outcomes, t))
    return;
  e1.violated([&] {
    std::string text = task_text(h, t.id) + " is " + std::string{to_string(t.state)} + ", but clients were told";
    for (const auto s : told->second.outcomes)
      text += " " + std::string{to_string(s)};
    return text;
  });
}

bool was_refused_for_good(const client_record& r) {
  return r.acknowledged == 0 && r.unsure == 0 && r.refused >= r.invoked;
}

/// Its parent was submitted, or has a parent in turn.
void check_child_started(const sorted_history& h, const task& t, finding& e2) {
  const auto* parent = h.find(t.parent);
  e2.expect(parent && step_that_started(h.all(), *parent, t),
            [&] { return task_text(h, t.id) + " was started by no step of a task that the store has"; });
}

void check_task_submitted(const sorted_history& h, const task& t, finding& e2) {
  if (t.parent != 0)
    return check_child_started(h, t, e2);
  if (h.all().schedules.contains(t.schedule))
    return e2.expect(true, [] { return std::string{}; });
  const auto found = h.all().clients.find(t.id);
  const bool known = found != h.all().clients.end() && found->second.invoked > 0;
  e2.expect(known && !was_refused_for_good(found->second), [&] {
    return task_text(h, t.id) + (known ? " is stored, but every submission of it was refused" : " was never submitted");
  });
}

} // namespace

void check_outcomes(const sorted_history& h, finding& e1, finding& e2) {
  std::unordered_set<names::id> seen;
  for (const auto& t : h.all().tasks) {
    if (!seen.insert(t.id).second)
      e1.violated([&] { return task_text(h, t.id) + " is in the store twice"; });
    check_task_outcome(h, t, e1);
    if (h.all().has_clients)
      check_task_submitted(h, t, e2);
  }
  for (const auto& client : h.all().clients)
    if (client.second.acknowledged > 0 && !h.find(client.first))
      e1.expect(false,
                [&] { return task_text(h, client.first) + " was acknowledged, but the store does not have it"; });
}

void check_processed(const sorted_history& h, const task_case& c, finding& e4) {
  if (c.task->state != process_state::processed)
    return;
  for (std::size_t i = 0; i < c.task->steps.size(); ++i) {
    const auto& s = c.task->steps[i];
    if (s.state == step_state::skipped)
      continue;
    if (s.state != step_state::completed)
      e4.expect(false, [&] { return step_text(h, *c.task, s) + " is " + std::string{to_string(s.state)}; });
    else if (h.is_logged(s))
      e4.expect(!c.steps[i].in_place.empty(), [&] {
        return step_text(h, *c.task, s) + (c.steps[i].created == 0 ? " has no effect" : " has no effect left in place");
      });
  }
}

namespace {

/// Whether a step with an undo may be left like this in an undone task.
bool is_reversed(const step& s) {
  return s.state == step_state::not_started || s.state == step_state::failed || s.state == step_state::skipped
         || s.state == step_state::compensated;
}

void check_undone_step(const sorted_history& h, const task& t, const step& s, const evidence& e, finding& e5) {
  e5.expect(is_reversed(s), [&] { return step_text(h, t, s) + " is still " + std::string{to_string(s.state)}; });
  const bool by_person = t.acts > 0 && (s.state == step_state::skipped || s.state == step_state::compensated);
  if (by_person || !h.is_logged(s))
    return;
  if (!e.in_place.empty())
    e5.violated([&] { return step_text(h, t, s) + " has an effect that was not undone: " + h.text(e.in_place[0]); });
  else if (s.state == step_state::compensated && !e.first_good_undo_ns)
    e5.violated([&] { return step_text(h, t, s) + " is compensated, but no undo shows in the effect logs"; });
}

} // namespace

void check_undone(const sorted_history& h, const task_case& c, finding& e5) {
  for (std::size_t i = 0; i < c.task->steps.size(); ++i) {
    const auto& s = c.task->steps[i];
    if (c.task->state == process_state::undone && s.compensation)
      check_undone_step(h, *c.task, s, c.steps[i], e5);
    if (c.steps[i].created_after_undo > 0)
      e5.violated([&] { return step_text(h, *c.task, s) + " has an effect that was created after its undo"; });
  }
}

void check_alert(const sorted_history& h, const task_case& c, finding& e11) {
  if (h.all().has_alerts && c.task->state == process_state::error)
    e11.expect(c.alerted, [&] { return task_text(h, c.task->id) + " is in error without an alert"; });
}

} // namespace checker
