#include "workflow/task/invariants.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace steadfast::workflow {
namespace {

/// Gathers what does not hold; each check says what should. Every task is checked whenever it is read or written, so no
/// sentence is made that is not needed.
struct checker {
  const task& t;
  const definition& d;
  std::vector<std::string> found;

  void expect(bool holds, std::string_view sentence, std::string_view last_word = {}) {
    if (!holds)
      found.push_back(std::string{sentence}.append(last_word));
  }
  void expect_of(std::size_t i, bool holds, std::string_view sentence, std::string_view last_word = {}) {
    if (!holds)
      found.push_back("step " + quoted(d.steps[i].name) + ": " + std::string{sentence}.append(last_word));
  }
  void expect_before(std::size_t i, bool holds, std::string_view sentence, std::size_t other,
                     std::string_view end = {}) {
    if (!holds)
      found.push_back("step " + quoted(d.steps[i].name) + ": " + std::string{sentence} + quoted(d.steps[other].name)
                      + std::string{end});
  }
};

template <class Enum>
bool in_range(Enum value, Enum first, Enum last) {
  return value >= first && value <= last;
}

// Nothing has been turned round: also what such a task ended as.
bool goes_forward(const task& t) {
  return t.state == process_state::processed || (!has_ended(t) && !is_undoing(t));
}

bool is_done(const step& s) {
  return s.state == step_state::completed || s.state == step_state::skipped;
}

bool is_being_undone(const step& s) {
  return in_range(s.state, step_state::compensating, step_state::compensation_failed);
}

void check_shape(checker& c) {
  const auto& t = c.t;
  c.expect(t.workflow == c.d.name && t.version == c.d.version, "the definition is not the task's");
  c.expect(t.steps.size() == c.d.steps.size(), "the number of steps is not that of the definition");
  c.expect(is_word(t.id, task_id_size_max), "the id is no id");
  c.expect(in_range(t.state, process_state::pending, process_state::suspended), "the process state has no name");
  c.expect(in_range(t.resume_state, process_state::pending, process_state::suspended), "the resume state has no name");
  c.expect(t.priority <= priority_max, "the priority is too large");
  c.expect(t.generation > 0, "the generation is 0");
  c.expect(t.acts.size() <= acts_max, "there are more acts than are kept");
  c.expect(t.submitted_at <= t.complete_by, "it must be done before it was submitted");
  if (t.state == process_state::suspended)
    c.expect(t.resume_state == process_state::pending || t.resume_state == process_state::undoing,
             "it is suspended and would resume as ", to_string(t.resume_state));
}

void check_lock(checker& c) {
  const auto& t = c.t;
  const bool is_locked = !t.locked_by.empty();
  if (t.state == process_state::processing)
    c.expect(is_locked, "it is processing and nobody has it");
  if (t.state == process_state::pending || has_ended(t))
    c.expect(!is_locked, "somebody has it although it is ", to_string(t.state));
  if (is_locked)
    c.expect(t.lock_epoch > 0, "it is locked and was never taken");
}

void check_end(checker& c) {
  const auto& t = c.t;
  c.expect(has_ended(t) == (t.ended_at != unset), "it has ended, or has not, but its end says otherwise");
  if (t.state == process_state::undoing || t.state == process_state::undone || t.state == process_state::error)
    c.expect(!t.cause.empty(), "it does not say why it is ", to_string(t.state));
  if (has_ended(t))
    c.expect(!has_open_attempt(t), "it has ended with an attempt open");
}

void check_outcome(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  if (c.t.state == process_state::processed)
    c.expect_of(i, is_done(s), "the task is processed without it");
  if (c.t.state == process_state::undone) {
    c.expect_of(i, !needs_undo(s, c.d.steps[i]), "the task is undone and this is still in place");
    c.expect_of(i, s.state != step_state::compensation_failed, "the task is undone although its undo failed");
  }
  if (goes_forward(c.t))
    c.expect_of(i, !is_being_undone(s), "it is being undone while the task goes forward");
  const bool waits = s.not_before != unset || s.waiting_since != unset || s.needs_review;
  c.expect_of(i, !waits || !has_ended(c.t), "it waits for something although the task has ended");
}

void check_ranges(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  c.expect_of(i, in_range(s.state, step_state::not_started, step_state::skipped), "its state has no name");
  c.expect_of(i, in_range(s.doing, attempt_action::none, attempt_action::compensate), "its action has no name");
  c.expect_of(i, s.failure_count <= c.d.steps[i].threshold, "more rounds failed than the threshold");
  c.expect_of(i, s.cool_offs <= c.d.steps[i].cool_off.count, "more cool-offs were used than there are");
}

// A round is that of the compensation once the step is being undone.
void check_tries(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  const auto& d = c.d.steps[i];
  const auto of_undo = d.compensation ? d.compensation->retry.attempts : 0;
  const auto tries_max = goes_forward(c.t) ? d.retry.attempts : std::max(d.retry.attempts, of_undo);
  c.expect_of(i, s.tries <= tries_max, "more attempts of its round failed than a round has");
}

void check_action(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  const auto& d = c.d.steps[i];
  c.expect_of(i, (s.state == step_state::running) == (s.doing == attempt_action::perform),
              "it is running without an attempt, or the other way round");
  if (s.doing == attempt_action::probe)
    c.expect_of(i, d.probe.has_value() && s.state == step_state::unknown, "it is probed without being unknown");
  if (s.doing == attempt_action::compensate)
    c.expect_of(i, s.state == step_state::compensating, "its undo is tried in another state than compensating");
  if (is_being_undone(s))
    c.expect_of(i, d.compensation.has_value(), "it is undone without a compensation");
  if (s.doing != attempt_action::none)
    c.expect_of(i, s.complete_by != unset && s.attempt > 0 && !s.needs_review && s.not_before == unset,
                "its open attempt is not a proper one");
}

void check_doubt(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  if (s.state == step_state::unknown)
    c.expect_of(i, s.maybe_done, "it is unknown and cannot have acted");
  if (s.state != step_state::unknown && s.state != step_state::running && s.state != step_state::skipped
      && !is_being_undone(s))
    c.expect_of(i, !s.maybe_done, "it may have acted and is ", to_string(s.state));
}

void check_log(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  c.expect_of(i, s.log.size() <= attempts_logged_max, "its log is longer than is kept");
  c.expect_of(i, s.log_dropped + s.log.size() <= s.attempt, "its log has more lines than there were attempts");
  std::uint32_t last = 0;
  for (const auto& line : s.log) {
    const bool is_open = s.doing != attempt_action::none && line.number == s.attempt;
    c.expect_of(i, line.number > last && line.number <= s.attempt, "its log is out of order");
    c.expect_of(i, (line.outcome == attempt_outcome::open) == is_open, "its log is wrong about what is open");
    c.expect_of(i, !is_open || line.action == s.doing, "its log is wrong about what is being done");
    c.expect_of(i, line.note.size() <= note_size_max, "its log has a note that is too long");
    last = line.number;
  }
  c.expect_of(i, last == s.attempt, "its last attempt is not in its log");
}

void check_completion(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  if (s.state == step_state::completed)
    c.expect_of(i, s.completed_order > 0 && s.completed_at != unset, "it completed and nobody knows when");
  for (std::size_t j = 0; j < i; ++j) {
    const auto other = c.t.steps[j].completed_order;
    c.expect_of(i, other == 0 || other != s.completed_order, "it completed in the same place as another step");
  }
}

// What may have acted must not have begun before all its earlier steps were done.
void check_order_forward(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  if (!goes_forward(c.t) || (s.state != step_state::running && s.state != step_state::completed))
    return;
  all_predecessors(c.d, i, [&](std::size_t p) {
    c.expect_before(i, is_done(c.t.steps[p]), "it began before step ", p, " was done");
    return true;
  });
}

void check_order_of_undo(checker& c, std::size_t i) {
  const auto& s = c.t.steps[i];
  if (s.doing != attempt_action::compensate)
    return;
  const auto before = ancestors(c.d);
  for (std::size_t j = 0; j < c.t.steps.size(); ++j) {
    const auto& later = c.t.steps[j];
    const bool is_settled = !needs_undo(later, c.d.steps[j]) && later.doing != attempt_action::perform;
    c.expect_before(i, is_settled || !before[j][i], "it is undone before step ", j);
  }
}

} // namespace

std::vector<std::string> broken_invariants(const task& t, const definition& d) {
  checker c{t, d, {}};
  check_shape(c);
  if (t.steps.size() != d.steps.size())
    return std::move(c.found);
  check_lock(c);
  check_end(c);
  c.expect(has_next_thing(t, d), "nothing would ever go on with it");
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    check_outcome(c, i);
    check_ranges(c, i);
    check_tries(c, i);
    check_action(c, i);
    check_doubt(c, i);
    check_log(c, i);
    check_completion(c, i);
    check_order_forward(c, i);
    check_order_of_undo(c, i);
  }
  return std::move(c.found);
}

} // namespace steadfast::workflow
