#include "tests/support/workflow/scenario.hpp"

#include "workflow/task/compensation.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using numbers = std::vector<std::size_t>;

namespace {

step in_state(step_state state, bool maybe_done = false) {
  step s;
  s.state = state;
  s.maybe_done = maybe_done;
  return s;
}

/// A diamond: a, then b and c side by side, then d.
scenario diamond() {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c"), step_named("d")});
  d.steps[2].after = std::vector<std::string>{"a"};
  d.steps[3].after = std::vector<std::string>{"b", "c"};
  return scenario{d};
}

} // namespace

TEST_CASE("what happened, or may have, needs undo if there is one") {
  const auto with = step_named("a");
  auto without = with;
  without.compensation.reset();
  using enum step_state;
  for (const auto state : {completed, unknown, compensating}) {
    CHECK(needs_undo(in_state(state), with));
    CHECK_FALSE(needs_undo(in_state(state), without));
  }
  for (const auto state : {not_started, running, failed, skipped}) {
    CHECK_FALSE(needs_undo(in_state(state), with));
    CHECK(needs_undo(in_state(state, true), with));
    CHECK_FALSE(needs_undo(in_state(state, true), without));
  }
  for (const auto state : {compensated, compensation_failed, static_cast<step_state>(99)})
    CHECK_FALSE(needs_undo(in_state(state, true), with));
}

TEST_CASE("undo may start where nothing that came after is left") {
  auto x = diamond();
  CHECK(ready_to_undo(x.t, x.d).empty());
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    x.t.steps.change(i).state = step_state::completed;
  CHECK(ready_to_undo(x.t, x.d) == numbers{3});
  x.t.steps.change(3).state = step_state::compensated;
  CHECK(ready_to_undo(x.t, x.d) == numbers{1, 2});
  x.t.steps.change(1).state = step_state::compensation_failed; // given up: the others go on
  CHECK(ready_to_undo(x.t, x.d) == numbers{2});
  x.t.steps.change(2).state = step_state::compensating;
  CHECK(ready_to_undo(x.t, x.d) == numbers{2});
  x.t.steps.change(2).doing = attempt_action::compensate;
  CHECK(ready_to_undo(x.t, x.d).empty());
  x.t.steps.change(2) = in_state(step_state::skipped);
  CHECK(ready_to_undo(x.t, x.d) == numbers{0});
}

TEST_CASE("undo waits for a later step that runs, even one without an undo, and reaches over steps without one") {
  auto x = diamond();
  x.d.steps[1].compensation.reset();
  x.d.steps[2].compensation.reset();
  x.d.steps[3].compensation.reset();
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    x.t.steps.change(i).state = step_state::completed;
  x.t.steps.change(3).state = step_state::running;
  x.t.steps.change(3).doing = attempt_action::perform;
  CHECK(ready_to_undo(x.t, x.d).empty());
  x.t.steps.change(3) = in_state(step_state::unknown, true);
  CHECK(ready_to_undo(x.t, x.d) == numbers{0});
  x.d.steps[3].compensation = compensation{};
  CHECK(ready_to_undo(x.t, x.d) == numbers{3});
}

TEST_CASE("the preview of an undo follows the graph, and the latest to complete goes first") {
  auto x = diamond();
  CHECK(undo_order(x.t, x.d).empty());
  for (const std::size_t i : {0u, 1u, 2u})
    x.t.steps.change(i).state = step_state::completed;
  x.t.steps.change(0).completed_order = 1;
  x.t.steps.change(1).completed_order = 3;
  x.t.steps.change(2).completed_order = 2;
  CHECK(undo_order(x.t, x.d) == numbers{1, 2, 0});
  x.t.steps.change(2).completed_order = 4;
  CHECK(undo_order(x.t, x.d) == numbers{2, 1, 0});
  x.t.steps.change(3).state = step_state::running;
  x.t.steps.change(3).doing = attempt_action::perform; // may have acted by the time undo begins
  CHECK(undo_order(x.t, x.d) == numbers{3, 2, 1, 0});
  x.t.steps.change(1) = in_state(step_state::unknown, true); // whose time nobody knows: as if it were the latest
  CHECK(undo_order(x.t, x.d) == numbers{3, 1, 2, 0});
  x.d.steps[2].compensation.reset();
  CHECK(undo_order(x.t, x.d) == numbers{3, 1, 0});
}

TEST_CASE("what no undo reverses is known beforehand: it has no compensation, or it failed") {
  auto x = diamond();
  CHECK(left_in_place(x.t, x.d).empty());
  x.d.steps[1].compensation.reset();
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    x.t.steps.change(i).state = step_state::completed;
  CHECK(left_in_place(x.t, x.d) == numbers{1});
  x.t.steps.change(1) = in_state(step_state::failed, true);
  x.t.steps.change(3).state = step_state::compensation_failed;
  CHECK(left_in_place(x.t, x.d) == numbers{1, 3});
  x.t.steps.change(1) = in_state(step_state::failed);
  CHECK(left_in_place(x.t, x.d) == numbers{3});
}
