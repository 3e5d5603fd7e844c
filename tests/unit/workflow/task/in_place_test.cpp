#include "workflow/task/in_place.hpp"

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

/// The undo of this step, which is open, fails for good.
void fail_undo(scenario& s, std::string_view step) {
  REQUIRE(s.at(step).doing == attempt_action::compensate);
  s.fail_for_good(step);
}

} // namespace

TEST_CASE("after an undo that failed, what is in place is named with agent, key, and since when") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c"), step_named("d")});
  d.steps[2].compensation.reset();
  scenario s{d};
  s.take();
  s.succeed("a");
  s.now += span{1000};
  s.succeed("b");
  const auto since = s.at("b").completed_at;
  s.succeed("c");
  s.fail_for_good("d");
  REQUIRE(s.state() == "undoing");
  CHECK(effects_in_place(s.t, s.d).empty()); // it goes on
  fail_undo(s, "b");
  s.succeed("a");
  REQUIRE(s.state() == "error");

  const auto left = effects_in_place(s.t, s.d);
  REQUIRE(left.size() == 2);
  CHECK(left[0].step == 1);
  CHECK(left[0].why == kept_because::undo_failed);
  CHECK(left[0].agent == s.d.steps[1].agent);
  CHECK(left[0].key == idempotency_key(s.t, s.d, 1, attempt_action::perform));
  CHECK(left[0].since == since);
  CHECK(left[0].is_certain);
  CHECK_FALSE(left[0].failure.empty());
  CHECK(left[1].step == 2);
  CHECK(left[1].why == kept_because::no_compensation);
}

TEST_CASE("a step that may have happened is in place since its first attempt, and nobody is certain") {
  auto d = pipeline({step_named("a")});
  d.steps[0].compensation.reset();
  scenario s{d};
  s.take();
  const auto began = s.now;
  s.fail_for_good("a", true);
  REQUIRE(s.state() == "undone");
  const auto left = effects_in_place(s.t, s.d);
  REQUIRE(left.size() == 1);
  CHECK_FALSE(left[0].is_certain);
  CHECK(left[0].since == began);
}

TEST_CASE("of a task in error whose undo nobody asked for, everything that happened waits for its undo") {
  auto d = pipeline({step_named("a"), step_named("b")});
  ask_a_person_at_once(d.steps[1]);
  scenario s{d};
  s.take();
  s.succeed("a");
  s.fail("b");
  s.supervise();
  REQUIRE(s.state() == "error");
  const auto left = effects_in_place(s.t, s.d);
  REQUIRE_FALSE(left.empty());
  CHECK(left[0].step == 0);
  CHECK(left[0].why == kept_because::undo_waits);
}

TEST_CASE("nothing is in place when all went well, or all was undone") {
  scenario well{pipeline({step_named("a")})};
  well.take();
  well.succeed("a");
  CHECK(effects_in_place(well.t, well.d).empty());
  scenario undone{pipeline({step_named("a"), step_named("b")})};
  undone.take();
  undone.succeed("a");
  undone.fail_for_good("b");
  undone.succeed("a");
  REQUIRE(undone.state() == "undone");
  CHECK(effects_in_place(undone.t, undone.d).empty());
}
