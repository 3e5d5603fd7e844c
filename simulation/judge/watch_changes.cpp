// What a change of a task may be.

#include "simulation/judge/step_change.hpp"
#include "simulation/judge/watch.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <string>

namespace steadfast::simulation {

namespace {

using workflow::attempt_action;
using workflow::attempt_outcome;
using workflow::process_state;
using workflow::step_state;

bool has_unknown_outcome(const workflow::task& t) {
  return std::any_of(t.steps.begin(), t.steps.end(), [](const workflow::step& s) {
    return s.state == step_state::unknown || s.doing == attempt_action::perform;
  });
}

/// The line of the story by that number, if it is kept.
const workflow::attempt_record* line_of(const workflow::step& s, std::uint32_t attempt) {
  const auto found = std::find_if(s.log.begin(), s.log.end(), [&](const auto& line) { return line.number == attempt; });
  return found == s.log.end() ? nullptr : &*found;
}

bool is_denied(const workflow::step& s) {
  return s.state == step_state::not_started || s.state == step_state::failed;
}

/// Done, and undone in the same commit.
bool was_undone_after_it_was_done(const workflow::step& s) {
  const bool is_undone = s.state == step_state::compensated || s.state == step_state::compensating
                         || s.state == step_state::compensation_failed;
  return is_undone && std::any_of(s.log.begin(), s.log.end(), [](const workflow::attempt_record& line) {
           return line.action == attempt_action::perform && line.outcome == attempt_outcome::succeeded;
         });
}

/// A skipped step is done only if those before it are.
bool is_behind(const workflow::definition& d, const workflow::task& t, std::size_t i) {
  const auto before = workflow::predecessors(d, i);
  return t.steps[i].state == step_state::completed || was_undone_after_it_was_done(t.steps[i])
         || (t.steps[i].state == step_state::skipped
             && std::all_of(before.begin(), before.end(), [&](const auto p) { return is_behind(d, t, p); }));
}

/// It may be in place, and can be undone.
bool is_to_be_undone_first(const workflow::step& s, const workflow::step_definition& d) {
  return workflow::has_undo(d)
         && (s.state == step_state::completed || s.state == step_state::unknown || s.state == step_state::running
             || s.state == step_state::compensating);
}

} // namespace

void watch::note(const workflow::task& after) {
  const auto known = tasks_.find(after.number);
  if (known != tasks_.end() && known->second.revision == after.revision)
    return;
  const bool is_set_aside =
    after.state == process_state::error && after.cause.find("schedulers were lost") != std::string::npos;
  if (is_set_aside)
    reached(row::task_kills_its_scheduler);
  if (known != tasks_.end())
    compare(known->second, after);
  const bool had_ended = known != tasks_.end() && workflow::has_ended(known->second);
  if (on_ended && workflow::has_ended(after) && !had_ended)
    on_ended(after.id);
  tasks_[after.number] = after;
  numbers_[after.id] = after.number;
}

void watch::compare(const workflow::task& before, const workflow::task& after) {
  expect(after.state != process_state::undone
           || std::none_of(after.steps.begin(), after.steps.end(),
                           [](const auto& s) { return s.state == step_state::compensation_failed; }),
         after, "is undone, and an undo of it failed (P16)");
  expect(after.revision > before.revision, after, "went back to an older revision");
  expect(after.lock_epoch >= before.lock_epoch, after, "went back to an older lock epoch (P18)");
  expect(after.generation >= before.generation, after, "went back to an older generation");
  if (workflow::has_ended(before) && after.generation == before.generation)
    expect(after.state == before.state, after, "had ended and changed its outcome by itself (P5)");
  if (workflow::is_undoing(after) && !workflow::is_undoing(before) && has_unknown_outcome(before))
    reached(row::undo_after_unknown_outcome);
  if (after.acts.size() > before.acts.size() && after.acts.back().what == "cancel"
      && workflow::has_open_attempt(before))
    reached(row::cancel);
  for (std::size_t i = 0; i < after.steps.size(); ++i)
    compare_step(before, after, i);
  if (const auto* d = definition_of(after))
    for (const auto& wrong : wrong_in_change(*d, before, after))
      expect(false, after, wrong);
}

void watch::compare_step(const workflow::task& before, const workflow::task& after, std::size_t i) {
  const auto* d = definition_of(after);
  if (!d)
    return;
  const auto& was = before.steps[i];
  const auto& is = after.steps[i];
  const auto name = "step `" + d->steps[i].name + "`";
  expect(is.attempt >= was.attempt, after, name + ": its attempts are counted down (P9)");
  const bool is_new = is.attempt > was.attempt && is.doing != attempt_action::none;
  // A task that is turned round by what follows from the end of a wait, in the same change, is being undone already.
  // The child of a step may be undone as soon as it is told.
  const auto* const last = line_of(is, is.attempt);
  const bool waits = is.attempt > was.attempt && d->steps[i].wait && !workflow::is_undoing(after) && last
                     && last->action == attempt_action::perform;
  if (waits || (is_new && is.doing == attempt_action::perform)) {
    // A task may be taken, and be told of its parent's undo, or its child's failure, in the same commit.
    const bool has_family = !after.parent.empty() || workflow::any_starts_child(*d);
    const bool was_turned_round = has_family && !workflow::is_undoing(before);
    expect(waits || was_turned_round || !workflow::is_undoing(after), after,
           name + " was begun after undo had begun (P15)");
    expect(was.state != step_state::completed || after.generation > before.generation, after,
           name + " was begun again after it was completed (P8)");
    for (const auto p : workflow::predecessors(*d, i))
      expect(is_behind(*d, after, p), after, name + " was begun before step `" + d->steps[p].name + "` was done (P7)");
  }
  if (is_new && is.doing == attempt_action::perform && after.acts.empty() && !was.log.empty())
    expect(was.log.back().action != attempt_action::perform
             || was.log.back().outcome != attempt_outcome::failed_permanent,
           after, name + " was tried again after it had failed for good (P14)");
  if (is_new && d->steps[i].repeat && after.acts.empty() && !was.log.empty()
      && was.log.back().outcome == attempt_outcome::succeeded && is.doing == attempt_action::perform)
    expect(last->started_at >= was.log.back().ended_at + d->steps[i].repeat->every, after,
           name + " was called again too early (P48)");
  const bool has_child_undone = is.attempt > was.attempt && workflow::is_undo_of_child_awaited(is, d->steps[i]);
  if (has_child_undone || (is_new && is.doing == attempt_action::compensate))
    expect_undone_in_order(*d, after, i);
  if (is_new && is.doing == attempt_action::compensate)
    expect(std::none_of(after.steps.begin(), after.steps.end(),
                        [](const auto& s) { return s.doing == attempt_action::perform || workflow::ends_later(s); }),
           after, name + " is undone while an attempt may still act (P15)");
  if (is.state == step_state::completed && was.state != step_state::completed && !d->steps[i].wait)
    expect(was.doing != attempt_action::none || workflow::ends_later(was), after,
           name + " was completed without an attempt (P11)");
  if (d->steps[i].wait)
    compare_wait(before, after, i);
  expect(is.tries <= std::max(d->steps[i].retry.attempts,
                              d->steps[i].compensation ? d->steps[i].compensation->retry.attempts : 0U),
         after, name + " was tried too often (P14)");
  compare_with_effect(before, after, i);
  if (was.doing != attempt_action::none)
    if (const auto* line = line_of(is, was.attempt); line && line->outcome != attempt_outcome::open)
      probe_step(after, i, *line);
}

/// A wait lasts as long as the workflow says, unless a person ends it.
void watch::compare_wait(const workflow::task& before, const workflow::task& after, std::size_t i) {
  const auto& d = definition_of(after)->steps[i];
  const auto& was = before.steps[i];
  const auto& is = after.steps[i];
  const auto* line = line_of(is, is.attempt);
  if (is.state == step_state::completed && was.state != step_state::completed && line && after.acts.empty()
      && !workflow::is_until_told(*d.wait) && !workflow::starts_child(d))
    expect(is.completed_at >= line->started_at + d.wait->length && is.completed_at >= was.not_before, after,
           "step `" + d.name + "` waited too short (P39)");
}

/// Steps that build on this one are undone before it.
void watch::expect_undone_in_order(const workflow::definition& d, const workflow::task& t, std::size_t i) {
  for (std::size_t after = 0; after < t.steps.size(); ++after) {
    const auto before = workflow::predecessors(d, after);
    expect(std::find(before.begin(), before.end(), i) == before.end()
             || !is_to_be_undone_first(t.steps[after], d.steps[after]),
           t,
           "step `" + d.steps[i].name + "` is undone before step `" + d.steps[after].name + "`, which needs it (P16)");
  }
}

/// What is stored of a step agrees with what its service did and said.
void watch::compare_with_effect(const workflow::task& before, const workflow::task& after, std::size_t i) {
  const auto& was = before.steps[i];
  const auto& is = after.steps[i];
  const step_name step{after.id, definition_of(after)->steps[i].name};
  const auto* line = was.doing == attempt_action::none ? nullptr : line_of(is, was.attempt);
  if (line && line->outcome == attempt_outcome::succeeded && line->action != attempt_action::probe)
    expect(succeeded_.contains({step, was.attempt}), after,
           "step `" + step.second + "` has an attempt that succeeded as nobody said (P11)");
  expect(!is_denied(is) || is_denied(was) || after.generation > before.generation
           || !happened_.contains(workflow::idempotency_key(after, *definition_of(after), i, attempt_action::perform))
           || not_trusted_.contains({after.workflow, step.second}),
         after, "step `" + step.second + "` has happened and was stored as if it had not (P15)");
}

void watch::probe_step(const workflow::task& after, std::size_t i, const workflow::attempt_record& closed) {
  using enum attempt_outcome;
  const bool is_undo = closed.action == attempt_action::compensate;
  if (closed.outcome == failed_permanent)
    reached(is_undo ? row::undo_fails : row::failure_for_good);
  if (closed.outcome == failed_transient && is_undo)
    reached(row::undo_fails);
  if (closed.outcome == failed_transient && after.steps[i].needs_review)
    reached(row::round_used_up);
  if (closed.outcome == expired)
    reached(is_undo ? row::undo_past_complete_by : row::call_never_answered);
  if (closed.outcome == declined && closed.note.starts_with("no agent"))
    reached(row::no_agent_left);
  if (closed.outcome == declined && closed.note.find("orders waiting") != std::string::npos)
    reached(row::agent_pushes_back);
}

} // namespace steadfast::simulation
