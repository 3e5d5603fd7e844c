// How the child of a step stands, or ended.

#include "workflow/task/compensation.hpp"
#include "workflow/text/name.hpp"
#include "workflow/transition/handlers.hpp"
#include "workflow/transition/wait.hpp"

#include <utility>

namespace steadfast::workflow {

namespace {

/// That, or those, whose end it is told.
std::string told_task(const draft& x, std::size_t i, const child_end& end) {
  return is_over_items(x.definition_of(i)) && end.item == 0 ? std::string{"its items"}
                                                            : "task `" + child_id(x.t, x.d, i, end.item) + "`";
}

/// A person is needed for the child, or not any more; of items, for another one than before. The step waits on.
ruling mark_trouble(draft& x, std::size_t i, const child_end& end) {
  const bool is_in_trouble = end.how != child_state::at_work;
  const auto which = end.item == 0 ? std::string{"its task"} : told_task(x, i, end);
  const auto why = is_in_trouble ? clipped(which + " is in error: " + end.why, note_size_max) : std::string{};
  const bool is_known = x.t.steps[i].wait_alerted == is_in_trouble;
  if (is_known && (end.item == 0 || x.t.steps[i].waiting_for == why))
    return ignored(is_in_trouble ? "it is known that a person is needed for its task" : "its task is at work");
  auto& s = x.t.steps.change(i);
  s.wait_alerted = is_in_trouble;
  s.waiting_for = why;
  if (is_in_trouble && !is_known)
    raise_alert(x, "waiting",
                "step `" + x.definition_of(i).name + "` waits for task `" + child_id(x.t, x.d, i, end.item)
                  + "`, which is in error: " + end.why,
                x.definition_of(i).name);
  return applied();
}

/// How many of its items have ended. Nothing else changes.
ruling count_items(draft& x, std::size_t i, const child_end& end) {
  if (!is_over_items(x.definition_of(i)))
    return ignored("it goes over no items");
  if (x.t.steps[i].wait->progress == end.progress)
    return ignored("that is known of its items");
  x.t.steps.change(i).wait.change().progress = end.progress;
  return applied();
}

ruling end_forward(draft& x, std::size_t i, const child_end& end) {
  const auto id = told_task(x, i, end);
  const std::string was = is_over_items(x.definition_of(i)) && end.item == 0 ? " were " : " was ";
  if (!end.progress.empty() && end.how != child_state::counted)
    count_items(x, i, end);
  switch (end.how) {
    case child_state::counted: return count_items(x, i, end);
    case child_state::processed:
      pass_wait(x, i, end.result, end.facts, end.progress.empty() ? id + was + "processed" : end.progress);
      break;
    case child_state::undone: fail_wait(x, i, id + was + "undone: " + end.why); break;
    case child_state::refused: fail_wait(x, i, id + " could not be started: " + end.why); break;
    default: return mark_trouble(x, i, end);
  }
  advance(x);
  queue_again(x);
  return applied();
}

void undone_at_last(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  s.state = step_state::compensated;
  s.maybe_done = false;
  s.error.clear();
  if (x.t.state != process_state::error || x.t.steps.any<step_mark::undo_failed>())
    return;
  x.t.state = process_state::undoing; // what was left of its undo has run
  ++x.t.generation;
  x.t.ended_at = unset;
}

ruling end_undo_of(draft& x, std::size_t i, const child_end& end) {
  const bool is_failed = end.how != child_state::undone;
  if (end.how == child_state::processed || end.how == child_state::at_work || end.how == child_state::counted)
    return ignored("its task has yet to be undone");
  const auto id = told_task(x, i, end);
  const std::string was = is_over_items(x.definition_of(i)) && end.item == 0 ? " were " : " was ";
  auto& s = x.t.steps.change(i);
  close_attempt(x, i, is_failed ? attempt_outcome::failed_permanent : attempt_outcome::succeeded,
                is_failed ? end.why : id + was + "undone");
  let_wait(s, unset, {});
  x.t.takeovers = 0;
  if (!is_failed) {
    undone_at_last(x, i);
  } else {
    s.state = step_state::compensation_failed;
    s.error = clipped(id + " could not be undone: " + end.why, note_size_max);
    const auto& name = x.definition_of(i).name;
    raise_alert(x, "undo_failed", "step `" + name + "` could not be undone and is still in place: " + s.error, name);
  }
  advance(x);
  queue_again(x);
  return applied();
}

} // namespace

ruling on(draft& x, const child_ended& e) {
  if (e.step >= x.t.steps.size())
    return refused("there is no such step");
  if (!starts_child(x.definition_of(e.step)))
    return refused("the step starts no task");
  const auto& s = x.t.steps[e.step];
  if (s.state == step_state::waiting)
    return end_forward(x, e.step, e.end);
  if (is_undo_of_child_awaited(s, x.definition_of(e.step)))
    return end_undo_of(x, e.step, e.end);
  if (s.maybe_done && (s.state == step_state::unknown || s.state == step_state::skipped)
      && e.end.how == child_state::undone) { // nothing of it is in place, or ever was
    auto& next = x.t.steps.change(e.step);
    next.maybe_done = false;
    if (next.state == step_state::unknown)
      back_to_start(next);
    advance(x);
    queue_again(x);
    return applied();
  }
  const bool can_be_undone = s.state == step_state::compensation_failed || s.state == step_state::compensating;
  if (!can_be_undone || e.end.how != child_state::undone)
    return ignored("the step is " + std::string{to_string(s.state)} + " and does not wait for its task");
  undone_at_last(x, e.step);
  advance(x);
  queue_again(x);
  return applied();
}

} // namespace steadfast::workflow
