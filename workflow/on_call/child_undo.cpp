#include "workflow/on_call/child_undo.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

bool tells_of_wait(const explanation& e) {
  return e.text.starts_with("waiting:") || e.text.starts_with("cooling off:");
}

/// The sentence that says most about why its undo has not ended.
explanation what_holds_up(const std::vector<explanation>& told, process_state state) {
  if (state != process_state::undoing)
    return told.front();
  const auto wait = std::find_if(told.begin(), told.end(), tells_of_wait);
  return wait != told.end() ? *wait : told[std::min<std::size_t>(1, told.size() - 1)]; // the first is that it is undone
}

} // namespace

std::vector<std::size_t> waiting_for_undo_of_tasks(const task& t, const definition& d) {
  std::vector<std::size_t> found;
  t.steps.each<step_mark::acted>([&](std::size_t i) {
    if (found.size() < explained_alike_max && is_undo_of_child_awaited(t.steps[i], d.steps[i]))
      found.push_back(i);
  });
  return found;
}

explanation explain_undo_of(const task& child, const definition& of_child, const definition& d, std::size_t i,
                            const clock_reading& clock) {
  auto held_up = what_holds_up(explain(child, of_child, clock), child.state);
  held_up.text = "undoing: step " + quoted(d.steps[i].name) + " waits for the undo of task " + quoted(child.id) + ": "
                 + held_up.text;
  return held_up;
}

} // namespace steadfast::workflow
