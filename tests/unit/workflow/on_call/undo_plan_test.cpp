#include "workflow/on_call/undo_plan.hpp"

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using steps = std::vector<std::size_t>;

namespace {

undo_plan plan_of(const scenario& x, const event& request = undo_requested{}) {
  return plan_undo(x.t, x.d, request, x.now);
}

/// a and b completed; of c the service said no.
scenario refused_in_the_end() {
  scenario x{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.fail_for_good("c");
  return x;
}

} // namespace

TEST_CASE("the plan of an undo has what it would run, last things first, and what it would leave") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  d.steps[1].compensation.reset();
  scenario x{d};
  x.take();
  x.succeed("a");
  x.succeed("b");
  const auto plan = plan_of(x);
  CHECK(plan.refused.empty());
  CHECK(plan.undone == steps{2, 0}); // c may have happened
  CHECK(plan.left == steps{1});
}

TEST_CASE("the plan runs compensations again that failed before, as the undo does") {
  auto x = refused_in_the_end();
  x.fail_for_good("b");
  x.succeed("a");
  REQUIRE(x.state() == "error");
  const auto plan = plan_of(x);
  CHECK(plan.refused.empty());
  CHECK(plan.undone == steps{1});
  CHECK(plan.left.empty());
  x.must(undo_requested{{"ann", ""}});
  x.take();
  CHECK(x.at("b").doing == attempt_action::compensate);
}

TEST_CASE("a request that the task does not take is told with what its undo has still to do") {
  const auto x = refused_in_the_end();
  REQUIRE(x.state() == "undoing");
  const auto plan = plan_of(x);
  CHECK(plan.refused == "it is being undone");
  CHECK(plan.undone == steps{1, 0});
}
