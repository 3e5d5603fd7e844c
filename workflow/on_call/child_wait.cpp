#include "workflow/on_call/child_wait.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

bool waits_for_child(const step& s, const step_definition& d) {
  return s.state == step_state::waiting && starts_child(d);
}

bool has_ended_or_rests(process_state s) {
  return s == process_state::suspended || s == process_state::error || s == process_state::processed
         || s == process_state::undone;
}

bool tells_of_wait(const explanation& e) {
  return e.text.starts_with("waiting:") || e.text.starts_with("cooling off:");
}

/// The sentence that says most about why it has not ended.
explanation what_holds_up(const std::vector<explanation>& told, process_state state) {
  if (has_ended_or_rests(state))
    return told.front();
  const auto wait = std::find_if(told.begin(), told.end(), tells_of_wait);
  if (wait != told.end())
    return *wait;
  const bool is_second_better = state != process_state::pending && told.size() > 1; // the first: it is worked on
  return told[is_second_better ? 1 : 0];
}

/// An item, since too many others have failed.
bool is_undone_before_its_step(const task& child, const step_definition& of_parent) {
  return is_over_items(of_parent) && (is_undoing(child) || child.steps.any<step_mark::undo_failed>());
}

} // namespace

std::vector<std::size_t> waiting_for_tasks(const task& t, const definition& d) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < t.steps.size() && found.size() < explained_alike_max; ++i)
    if (waits_for_child(t.steps[i], d.steps[i]) || is_undo_of_child_awaited(t.steps[i], d.steps[i]))
      found.push_back(i);
  return found;
}

explanation explain_wait_for(const task& child, const definition& of_child, const task& t, const definition& d,
                             std::size_t i, const clock_reading& clock) {
  auto held_up = what_holds_up(explain(child, of_child, clock), child.state);
  const bool is_undone =
    is_undo_of_child_awaited(t.steps[i], d.steps[i]) || is_undone_before_its_step(child, d.steps[i]);
  held_up.text = (is_undone ? "undoing: step " : "waiting: step ") + quoted(d.steps[i].name) + " waits for "
                 + (is_undone ? "the undo of task " : "task ") + quoted(child.id) + ": " + held_up.text;
  return held_up;
}

} // namespace steadfast::workflow
