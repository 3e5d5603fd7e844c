#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using numbers = std::vector<std::size_t>;

TEST_CASE("a step is found by its name") {
  const auto d = two_steps();
  CHECK(find_step(d, "b") == 1u);
  CHECK_FALSE(find_step(d, "c").has_value());
}

TEST_CASE("without `after` a step comes after the one before it in the list") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c"), step_named("d")});
  d.steps[2].after = std::vector<std::string>{};
  d.steps[3].after = std::vector<std::string>{"c", "a"};
  CHECK(predecessors(d, 0).empty());
  CHECK(predecessors(d, 1) == numbers{0});
  CHECK(predecessors(d, 2).empty());
  CHECK(predecessors(d, 3) == numbers{2, 0});
}

TEST_CASE("ancestors reach through the graph, in whatever order the steps are listed") {
  auto d = pipeline({step_named("d"), step_named("c"), step_named("b"), step_named("a"), step_named("x")});
  d.steps[0].after = std::vector<std::string>{"c"};
  d.steps[1].after = std::vector<std::string>{"b", "a"};
  d.steps[2].after = std::vector<std::string>{"a"};
  d.steps[3].after = std::vector<std::string>{};
  d.steps[4].after = std::vector<std::string>{};
  const auto all = ancestors(d);
  std::vector<std::vector<bool>> before(5, std::vector<bool>(5));
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      before[i][j] = all[i][j];
  CHECK(before[0] == std::vector{false, true, true, true, false});
  CHECK(before[1] == std::vector{false, false, true, true, false});
  CHECK(before[2] == std::vector{false, false, false, true, false});
  CHECK(before[3] == std::vector<bool>(5));
  CHECK(before[4] == std::vector<bool>(5));
}

TEST_CASE("the pointers that later conditions read are listed once each") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c"), step_named("d")});
  d.steps[1].when = condition{"a", "/x", condition::test::present, ""};
  d.steps[2].when = condition{"a", "/x", condition::test::equals, "1"};
  d.steps[3].when = condition{"a", "/y", condition::test::absent, ""};
  CHECK(pointers_asked(d, 0) == std::vector<std::string>{"/x", "/y"});
  CHECK(pointers_asked(d, 1).empty());
}

TEST_CASE("the attempts of a step are bounded by rounds and cool-offs") {
  auto s = step_named("a");
  s.retry.attempts = 5;
  s.threshold = 3;
  s.cool_off.count = 1;
  CHECK(attempts_limit(s) == 30);
  s.cool_off.count = 0;
  CHECK(attempts_limit(s) == 15);
  s.retry.attempts = s.threshold = s.cool_off.count = std::numeric_limits<std::uint32_t>::max();
  CHECK(attempts_limit(s) == std::numeric_limits<std::uint64_t>::max());
}
