// Random workflows, random events at random moments: what holds for all of them.

#include "tests/support/property.hpp"
#include "tests/support/workflow/random_workflow.hpp"
#include "tests/support/workflow/scenario.hpp"
#include "tests/support/workflow/witness.hpp"
#include "workflow/supervision/review.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/invariants.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/split.hpp"

using namespace steadfast;
using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

constexpr int draws_max = 800; ///< a definition takes some 60, an event 4, and most tasks end after ten events
constexpr int cases = 3000;

struct life {
  definition d;
  task t;
  instant now = start;
};

life begin(chooser& choose) {
  life l;
  l.d = random_definition(choose, true, true);
  RC_ASSERT(problems(l.d).empty());
  l.t = make_task(submission_of(l.d), l.d, l.now);
  return l;
}

change step_on(life& l, const event& e) {
  auto c = apply(l.t, l.d, e, l.now);
  const auto broken = broken_invariants(c.next, l.d);
  if (!broken.empty())
    RC_FAIL(std::string{name_of(e)} + ": " + joined(broken, "; "));
  l.t = c.next;
  return c;
}

/// From now on everybody does their part: agents answer, timers go off, the supervisor looks.
void do_the_due(life& l) {
  if (is_claimable(l.t) && l.t.not_before <= l.now)
    step_on(l, taken{"s1"});
  for (std::size_t i = 0; i < l.t.steps.size(); ++i) {
    if (starts_child(l.d.steps[i]) && l.t.steps[i].state == step_state::waiting)
      step_on(l, child_ended{i, {child_state::processed, {}, blob{"{}"}, {{"/x", "1"}}}});
    else if (is_undo_of_child_awaited(l.t.steps[i], l.d.steps[i]))
      step_on(l, child_ended{i, {child_state::undone, {}, {}, {}}});
    const auto& s = l.t.steps[i];
    if (s.doing == attempt_action::none)
      continue;
    const attempt_ref ref{i, s.attempt, l.t.lock_epoch};
    if (l.now >= s.complete_by)
      step_on(l, attempt_expired{ref});
    else if (!l.t.locked_by.empty())
      step_on(l, attempt_succeeded{ref, blob{"{}"}, {{"/x", "1"}}});
  }
  step_on(l, time_passed{});
  for (const auto& e : review(l.t, l.d, l.now))
    step_on(l, e);
}

/// "undoing: compensating 3, not_started 0": the task's state, then each step's and its last attempt.
std::string states_of(const task& t) {
  auto text = std::string{to_string(t.state)} + ":";
  for (const auto& s : t.steps)
    text.append(" ").append(to_string(s.state)).append(" ").append(std::to_string(s.attempt));
  return text;
}

} // namespace

TEST_CASE("property: whatever happens, a task keeps its invariants and the rules keep their promises") {
  holds(cases, draws_max, [] {
    chooser choose{some_choices()};
    auto l = begin(choose);
    witness w{l.d, l.t};
    while (!choose.is_used_up()) {
      l.now = random_moment(choose, l.t, l.d, l.now);
      const auto e = random_event(choose, l.t);
      const auto before = l.t;
      const auto c = step_on(l, e);
      if (c.result == event_status::applied)
        RC_LOG() << name_of(e) << " -> " << states_of(l.t) << '\n';
      w.saw(before, e, c, l.now);
      if (!w.complaints().empty())
        RC_FAIL(std::string{name_of(e)} + ": " + joined(w.complaints(), "; "));
    }
  });
}

TEST_CASE("property: the supervisor's review always settles, and asks only for what counts") {
  holds(cases, draws_max, [] {
    chooser choose{some_choices()};
    auto l = begin(choose);
    while (!choose.is_used_up()) {
      l.now = random_moment(choose, l.t, l.d, l.now);
      step_on(l, random_event(choose, l.t));
      auto reviewed = l;
      int rounds = 0;
      for (auto events = review(reviewed.t, reviewed.d, reviewed.now); !events.empty();
           events = review(reviewed.t, reviewed.d, reviewed.now)) {
        RC_ASSERT(++rounds < 100);
        bool any = false;
        for (const auto& e : events)
          any = step_on(reviewed, e).result == event_status::applied || any;
        RC_ASSERT(any);
      }
    }
  });
}

TEST_CASE("property: once faults stop and everybody does their part, every task ends") {
  holds(cases, draws_max, [] {
    chooser choose{some_choices()};
    auto l = begin(choose);
    while (!choose.is_used_up()) {
      l.now = random_moment(choose, l.t, l.d, l.now);
      step_on(l, random_event(choose, l.t));
    }
    if (l.t.state == process_state::suspended)
      step_on(l, resumed{{"ann", "go on"}});
    for (int i = 0; i < 5000 && !has_ended(l.t); ++i) {
      do_the_due(l);
      l.now += std::chrono::milliseconds{500};
    }
    if (!has_ended(l.t))
      RC_FAIL("it is still " + std::string{to_string(l.t.state)});
  });
}

TEST_CASE("property: a task that nobody touches is ended, suspended, or has a moment at which something is due") {
  holds(cases, draws_max, [] {
    chooser choose{some_choices()};
    auto l = begin(choose);
    while (!choose.is_used_up()) {
      l.now = random_moment(choose, l.t, l.d, l.now);
      step_on(l, random_event(choose, l.t));
      const bool rests = has_ended(l.t) || l.t.state == process_state::suspended;
      const bool waits_for_a_scheduler = is_claimable(l.t);
      RC_ASSERT(rests || waits_for_a_scheduler || next_due(l.t, l.d) != never);
    }
  });
}

TEST_CASE("property: a task that resumes is put off no longer than one of its steps waits") {
  holds(cases, draws_max, [] {
    chooser choose{some_choices()};
    auto l = begin(choose);
    const auto go_on = [&](std::uint32_t times, const auto& draw) {
      for (; times > 0; --times) {
        l.now = random_moment(choose, l.t, l.d, l.now);
        step_on(l, draw(choose, l.t));
      }
    };
    while (!choose.is_used_up()) {
      go_on(choose.below(8), random_event);
      step_on(l, suspended{{"ann", "so"}});
      go_on(choose.below(4), person_event);
      step_on(l, resumed{{"ann", "so"}});
      const bool is_put_off = is_claimable(l.t) && was_started(l.t) && l.t.not_before != unset;
      RC_ASSERT(!is_put_off || std::any_of(l.t.steps.begin(), l.t.steps.end(), [&](const step& s) {
        return (s.state != step_state::skipped || is_undoing(l.t)) && s.not_before >= l.t.not_before;
      }));
      if (has_ended(l.t))
        l = begin(choose);
    }
  });
}
