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
  void complain_of(std::size_t i, const std::string& sentence) {
    found.push_back("step " + quoted(d.steps[i].name) + ": " + sentence);
  }
};

/// The same of one step.
struct step_checker {
  checker& all;
  const std::size_t i;
  const step& s = all.t.steps[i];
  const step_definition& d = all.d.steps[i];

  void expect(bool holds, std::string_view sentence, std::string_view last_word = {}) {
    if (!holds)
      complain(sentence, last_word);
  }
  [[gnu::noinline]] void complain(std::string_view sentence, std::string_view last_word) {
    all.complain_of(i, std::string{sentence}.append(last_word));
  }
};

template <class Enum>
bool in_range(Enum value, Enum first, Enum last) {
  return value >= first && value <= last;
}

// Nothing has been turned round: also what such a task ended as.
bool goes_forward(process_state state, process_state resume_state) {
  switch (state) {
    case process_state::pending:
    case process_state::processing:
    case process_state::processed: return true;
    case process_state::suspended: return resume_state != process_state::undoing;
    case process_state::undoing:
    case process_state::undone:
    case process_state::error: return false;
  }
  return false;
}

bool goes_forward(const task& t) {
  return goes_forward(t.state, t.resume_state);
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

void check_limit(checker& c) {
  const auto& t = c.t;
  if (t.limit.empty())
    return c.expect(!t.limit->is_under_way, "it counts under a limit that it has not");
  c.expect(c.d.limit.has_value(), "it has a key, and its workflow no limit");
  c.expect(t.limit->key.size() <= event_key_size_max, "the key of its limit is too long");
  c.expect(t.locked_by.empty() || t.limit->is_under_way, "somebody has it, and it does not count under its limit");
  c.expect(!t.limit->is_under_way || (t.state != process_state::processed && t.state != process_state::undone),
           "it counts under its limit although it is ", to_string(t.state));
}

void check_end(checker& c) {
  const auto& t = c.t;
  c.expect(has_ended(t) == (t.ended_at != unset), "it has ended, or has not, but its end says otherwise");
  if (t.state == process_state::undoing || t.state == process_state::undone || t.state == process_state::error)
    c.expect(!t.cause.empty(), "it does not say why it is ", to_string(t.state));
  if (has_ended(t))
    c.expect(!has_open_attempt(t), "it has ended with an attempt open");
}

void check_outcome(step_checker c) {
  const auto& s = c.s;
  if (c.all.t.state == process_state::processed)
    c.expect(is_done(s), "the task is processed without it");
  if (c.all.t.state == process_state::undone) {
    c.expect(!needs_undo(s, c.d), "the task is undone and this is still in place");
    c.expect(s.state != step_state::compensation_failed, "the task is undone although its undo failed");
  }
  if (goes_forward(c.all.t))
    c.expect(!is_being_undone(s), "it is being undone while the task goes forward");
  const bool waits = s.not_before != unset || s.waiting_since != unset || s.needs_review;
  c.expect(!waits || !has_ended(c.all.t), "it waits for something although the task has ended");
}

void check_ranges(step_checker c) {
  const auto& s = c.s;
  c.expect(in_range(s.state, step_state::not_started, step_state::waiting), "its state has no name");
  c.expect(in_range(s.doing, attempt_action::none, attempt_action::compensate), "its action has no name");
  c.expect(s.failure_count <= c.d.threshold, "more rounds failed than the threshold");
  c.expect(s.cool_offs <= c.d.cool_off.count, "more cool-offs were used than there are");
}

// A round is that of the compensation once the step is being undone.
void check_tries(step_checker c) {
  const auto& s = c.s;
  const auto& d = c.d;
  const auto of_undo = d.compensation ? d.compensation->retry.attempts : 0;
  const auto tries_max = goes_forward(c.all.t) ? d.retry.attempts : std::max(d.retry.attempts, of_undo);
  c.expect(s.tries <= tries_max, "more attempts of its round failed than a round has");
}

void check_action(step_checker c) {
  const auto& s = c.s;
  const auto& d = c.d;
  c.expect((s.state == step_state::running) == (s.doing == attempt_action::perform),
           "it is running without an attempt, or the other way round");
  if (s.doing == attempt_action::probe)
    c.expect(d.probe.has_value() && s.state == step_state::unknown, "it is probed without being unknown");
  if (s.doing == attempt_action::compensate)
    c.expect(s.state == step_state::compensating, "its undo is tried in another state than compensating");
  if (is_being_undone(s))
    c.expect(has_undo(d), "it is undone without a compensation");
  if (s.doing != attempt_action::none)
    c.expect(s.complete_by != unset && s.attempt > 0 && !s.needs_review && s.not_before == unset,
             "its open attempt is not a proper one");
}

void check_wait(step_checker c) {
  const auto& s = c.s;
  if (c.d.wait)
    c.expect(s.doing == attempt_action::none && (!s.maybe_done || starts_child(c.d)),
             "it only waits, and an attempt was made");
  if (s.state == step_state::waiting)
    c.expect((c.d.later && !c.d.wait ? ends_later(s) : c.d.wait && s.wait->token.empty() && goes_forward(c.all.t))
               && s.not_before != unset && s.attempt > 0,
             "its wait is not a proper one");
  else if (!s.wait.empty())
    c.expect(s.wait->token.empty(), "it has a token and waits for nobody");
}

void check_doubt(step_checker c) {
  const auto& s = c.s;
  if (s.state == step_state::unknown)
    c.expect(s.maybe_done, "it is unknown and cannot have acted");
  if (s.state != step_state::unknown && s.state != step_state::running && s.state != step_state::skipped
      && !is_being_undone(s) && !ends_later(s))
    c.expect(!s.maybe_done, "it may have acted and is ", to_string(s.state));
}

void check_log(step_checker c) {
  const auto& s = c.s;
  c.expect(s.log.size() <= attempts_logged_max, "its log is longer than is kept");
  c.expect(s.log_dropped + s.log.size() <= s.attempt, "its log has more lines than there were attempts");
  const bool awaits_undo = is_undo_of_child_awaited(s, c.d);
  std::uint32_t last = 0;
  const bool any_open = s.doing != attempt_action::none || s.state == step_state::waiting || awaits_undo;
  for (const auto& line : s.log) {
    const bool is_open = any_open && line.number == s.attempt;
    c.expect(line.number > last && line.number <= s.attempt, "its log is out of order");
    c.expect((line.outcome == attempt_outcome::open) == is_open, "its log is wrong about what is open");
    c.expect(!is_open || line.action == s.doing || s.state == step_state::waiting || awaits_undo,
             "its log is wrong about what is being done");
    c.expect(line.note.size() <= note_size_max, "its log has a note that is too long");
    last = line.number;
  }
  c.expect(last == s.attempt, "its last attempt is not in its log");
}

void check_completion(step_checker c) {
  const auto& s = c.s;
  if (s.state == step_state::completed)
    c.expect(s.completed_order > 0 && s.completed_at != unset, "it completed and nobody knows when");
}

void check_places(checker& c) {
  std::vector<std::pair<std::uint32_t, std::size_t>> places;
  places.reserve(c.t.steps.size());
  for (std::size_t i = 0; i < c.t.steps.size(); ++i)
    if (const auto place = c.t.steps[i].completed_order; place != 0)
      places.emplace_back(place, i);
  std::sort(places.begin(), places.end());
  for (std::size_t k = 1; k < places.size(); ++k)
    if (places[k].first == places[k - 1].first)
      c.complain_of(places[k].second, "it completed in the same place as another step");
}

// What may have acted must not have begun before all its earlier steps were done.
void check_order_forward(step_checker c) {
  const auto& t = c.all.t;
  const bool has_begun =
    c.s.state == step_state::running || c.s.state == step_state::completed || c.s.state == step_state::waiting;
  if (!goes_forward(t) || !has_begun)
    return;
  all_predecessors(c.all.d, c.i, [&](std::size_t p) {
    if (!is_done(t.steps[p]))
      c.complain("it began before step " + quoted(c.all.d.steps[p].name), " was done");
    return true;
  });
}

void check_order_of_undo(checker& c) {
  if (goes_forward(c.t)) // then no step may be undone at all, which check_outcome says
    return;
  const auto too_early = undone_too_early(c.t, c.d);
  if (too_early.empty())
    return;
  const auto before = ancestors(c.d);
  for (const auto i : too_early)
    for (std::size_t j = 0; j < c.t.steps.size(); ++j)
      if (before[j][i] && !is_settled(c.t.steps[j], c.d.steps[j]))
        c.complain_of(i, "it is undone before step " + quoted(c.d.steps[j].name));
}

void check_step(checker& all, std::size_t i) {
  const step_checker c{all, i};
  check_outcome(c);
  check_ranges(c);
  check_tries(c);
  check_action(c);
  check_wait(c);
  check_doubt(c);
  check_log(c);
  check_completion(c);
  check_order_forward(c);
}

/// Without the steps. False: those cannot be looked at.
bool check_task(checker& c) {
  check_shape(c);
  if (c.t.steps.size() != c.d.steps.size())
    return false;
  check_lock(c);
  check_limit(c);
  check_end(c);
  c.expect(has_next_thing(c.t, c.d), "nothing would ever go on with it");
  check_order_of_undo(c);
  return true;
}

/// What is expected of a step that did not change is the same of both.
bool is_the_same_for_steps(const task& t, const sound_task& before) {
  const auto ended_as = [](process_state s) {
    const bool has = s == process_state::processed || s == process_state::undone || s == process_state::error;
    return has ? s : process_state::pending;
  };
  return t.steps.size() == before.steps.size() && ended_as(t.state) == ended_as(before.state)
         && goes_forward(t) == goes_forward(before.state, before.resume_state);
}

} // namespace

std::vector<std::string> broken_invariants(const task& t, const definition& d) {
  checker c{t, d, {}};
  if (!check_task(c))
    return std::move(c.found);
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    check_step(c, i);
  check_places(c);
  return std::move(c.found);
}

std::vector<std::string> broken_invariants(const task& t, const definition& d, const sound_task& sound) {
  if (!is_the_same_for_steps(t, sound))
    return broken_invariants(t, d);
  checker c{t, d, {}};
  if (!check_task(c))
    return std::move(c.found);
  std::size_t new_places = 0;
  bool may_be_taken = false;
  each_difference(sound.steps, t.steps, [&](std::size_t i) {
    const auto& before = sound.steps[i];
    if (before == t.steps[i])
      return;
    check_step(c, i);
    const auto place = t.steps[i].completed_order;
    if (place != before.completed_order)
      may_be_taken = may_be_taken || ++new_places > 1 || place <= sound.steps.last_order();
    if (is_done(before) && !is_done(t.steps[i]))
      each_successor(d, i, [&c](std::size_t j) { check_order_forward({c, j}); });
  });
  if (may_be_taken)
    check_places(c);
  return std::move(c.found);
}

} // namespace steadfast::workflow
