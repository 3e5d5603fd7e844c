// What judges the changes of tasks in a simulation: it has nothing against what the rules make, and says so when a rule
// is broken.

#include "simulation/judge/step_change.hpp"
#include "tests/support/workflow/definitions.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using workflow::attempt_action;
using workflow::attempt_outcome;

namespace {

constexpr workflow::instant begin{1s};

/// A task of which the first attempt is under way, and what has become of it.
struct changed_task {
  workflow::definition d = tests::two_steps();
  workflow::task before;
  workflow::task after;

  changed_task() {
    d.steps[0].retry.initial = d.steps[0].retry.cap = 500ms;
    d.steps[0].retry.attempts = 2;
    before = workflow::make_task(tests::submission_of(d), d, begin);
    before = workflow::apply(before, d, workflow::taken{"node-1"}, begin).next;
    after = before;
  }

  void fails_at(workflow::instant now) {
    workflow::attempt_failed e;
    e.ref = {0, 1, 1};
    e.maybe_done = true;
    after = workflow::apply(before, d, e, now).next;
  }

  workflow::step& step() { return after.steps.change(0); }
  std::vector<std::string> wrong() const { return simulation::wrong_in_change(d, before, after); }
};

std::vector<std::string> says(const std::string& of_the_step) {
  return {"step `a` " + of_the_step};
}

} // namespace

TEST_CASE("the judge of a simulated task has nothing against what the rules make of it") {
  changed_task t;
  t.fails_at(begin + 1s);
  REQUIRE(t.step().log.back().outcome == attempt_outcome::failed_transient);
  CHECK(t.wrong() == std::vector<std::string>{});
  t.after = workflow::apply(t.before, t.d, workflow::attempt_expired{{0, 1, 1}}, begin + 10min).next;
  REQUIRE(t.step().log.back().outcome == attempt_outcome::expired);
  CHECK(t.wrong() == std::vector<std::string>{});
}

TEST_CASE("the judge of a simulated task says which rule a change breaks") {
  changed_task t;
  t.fails_at(begin + 1s);
  SECTION("an end before its time") {
    t.step().log.change().back().outcome = attempt_outcome::expired;
    CHECK(t.wrong() == says("has expired before its complete-by (P13)"));
  }
  SECTION("an answer that came too late") {
    t.step().log.change().back().ended_at = t.step().complete_by;
    CHECK(t.wrong() == says("was heard at its complete-by or later (P11)"));
  }
  SECTION("no wait") {
    t.step().not_before = begin + 1s;
    CHECK(t.wrong() == says("is tried again without its back-off (P14)"));
  }
  SECTION("another try") {
    t.step().tries = 3;
    CHECK(t.wrong() == says("was tried more often than its round allows (P14)"));
  }
  SECTION("a round too many") {
    t.step().failure_count = 2;
    CHECK(t.wrong() == says("has a failed round counted that there was not (P14)"));
  }
  SECTION("a doubt that is gone") {
    t.before.steps.change(0).maybe_done = true;
    t.step().maybe_done = false;
    CHECK(t.wrong() == says("may have acted, and that was forgotten (P15)"));
  }
}

TEST_CASE("a started task that says that it is undone leaves no doubt behind, a failed call does") {
  changed_task t;
  t.before.steps.change(0).state = workflow::step_state::unknown;
  t.before.steps.change(0).maybe_done = true;
  t.step().state = workflow::step_state::failed;
  CHECK(t.wrong() == says("may have acted, and that was forgotten (P15)"));
  t.d.steps[0].wait.emplace().what = workflow::wait_rule::kind::child;
  CHECK(t.wrong() == std::vector<std::string>{});
}
