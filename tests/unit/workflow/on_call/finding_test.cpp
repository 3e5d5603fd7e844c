#include "workflow/on_call/finding.hpp"

#include "workflow/transition/transition.hpp"

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using names = std::vector<std::string>;

namespace {

task numbered(std::uint64_t number, std::int64_t submitted, std::int64_t ended) {
  task t;
  t.number = number;
  t.id = "t" + std::to_string(number);
  t.workflow = "w";
  t.submitted_at = instant{span{submitted}};
  t.ended_at = instant{span{ended}};
  return t;
}

task task_of(const definition& d) {
  return scenario{d}.t;
}

names in_order(std::vector<task> tasks, task_order by, bool is_reversed = false) {
  std::stable_sort(tasks.begin(), tasks.end(), [&](const task& a, const task& b) {
    return order_key(a, by, is_reversed) < order_key(b, by, is_reversed);
  });
  names ids;
  for (const auto& t : tasks)
    ids.push_back(t.id);
  return ids;
}

} // namespace

TEST_CASE("a list has the newest, longest and most first, and the other way round when it is reversed") {
  const std::vector<task> all{numbered(1, 1000, 9000), numbered(2, 2000, 3000), numbered(3, -5, 0)};
  CHECK(in_order(all, task_order::submitted) == names{"t2", "t1", "t3"});
  CHECK(in_order(all, task_order::submitted, true) == names{"t3", "t1", "t2"});
  CHECK(in_order(all, task_order::id) == names{"t1", "t2", "t3"});
  CHECK(in_order(all, task_order::id, true) == names{"t3", "t2", "t1"});
}

TEST_CASE("tasks that have not ended come last in an order of ends, reversed or not") {
  const std::vector<task> all{numbered(1, 1000, 0), numbered(2, 2000, 3000), numbered(3, 1000, 9000)};
  for (const auto by : {task_order::ended, task_order::took}) {
    CHECK(in_order(all, by) == names{"t3", "t2", "t1"});
    CHECK(in_order(all, by, true) == names{"t2", "t3", "t1"});
  }
}

TEST_CASE("texts are in the order of their letters when one begins another") {
  auto a = numbered(1, 0, 0);
  auto b = numbered(2, 0, 0);
  a.id = "a";
  b.id = "ab";
  CHECK(in_order({b, a}, task_order::id) == names{"a", "ab"});
  CHECK(in_order({a, b}, task_order::id, true) == names{"ab", "a"});
}

TEST_CASE("every name of an order and of a grouping is understood, and no other") {
  for (const std::string_view name : task_order_names)
    CHECK(parse_task_order(name).has_value() == !name.empty());
  for (const std::string_view name : task_grouping_names)
    CHECK(parse_task_grouping(name).has_value() == !name.empty());
  CHECK(parse_task_order("took") == task_order::took);
  CHECK(parse_task_grouping("hour") == task_grouping::hour);
  CHECK_FALSE(parse_task_order("sideways"));
}

TEST_CASE("a task stands at its step in trouble, else at the one under way, else at the next") {
  const auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  auto t = task_of(d);
  CHECK(current_step(t, d) == 0);
  t.steps.change(0).state = step_state::completed;
  CHECK(current_step(t, d) == 1);
  t.steps.change(1).state = step_state::running;
  t.steps.change(1).doing = attempt_action::perform;
  CHECK(current_step(t, d) == 1);
  t.steps.change(1).doing = attempt_action::none;
  t.steps.change(1).state = step_state::failed;
  t.steps.change(1).log.change().emplace_back();
  t.steps.change(1).log.change()[0].agent = "other";
  CHECK(group_of(t, d, task_grouping::step) == "b");
  CHECK(group_of(t, d, task_grouping::agent) == "other");
  t.state = process_state::undone;
  CHECK(current_step(t, d) == 1);
  t.state = process_state::processed;
  CHECK_FALSE(current_step(t, d));
  CHECK(group_of(t, d, task_grouping::agent).empty());
}

TEST_CASE("an undone task stands at the step that gave the reason, whatever was undone") {
  for (const bool maybe_done : {false, true}) {
    scenario s{pipeline({step_named("a"), step_named("b")})};
    s.take();
    s.succeed("a");
    s.fail_for_good("b", maybe_done);
    if (maybe_done)
      s.succeed("b");
    s.succeed("a");
    REQUIRE(s.state() == "undone");
    CHECK(current_step(s.t, s.d) == 1);
    CHECK(group_of(s.t, s.d, task_grouping::agent) == s.d.steps[1].agent);
  }
}

TEST_CASE("tasks with the same trouble are one group, whatever ids and times it names") {
  const auto d = pipeline({step_named("a")});
  auto t = task_of(d);
  t.cause = "step `a` failed: HTTP 503: order 4711 was not taken at 12:03";
  auto u = t;
  u.cause = "step `a` failed: HTTP 503: order 4712 was not taken at 12:04";
  CHECK(group_of(t, d, task_grouping::cause) == group_of(u, d, task_grouping::cause));
  u.cause = "step `a` failed: HTTP 500: order 4712 was not taken at 12:04";
  CHECK(group_of(t, d, task_grouping::cause) != group_of(u, d, task_grouping::cause));
}

TEST_CASE("an hour is told by its beginning, before 1970 too") {
  const auto d = pipeline({step_named("a")});
  auto t = task_of(d);
  t.submitted_at = instant{span{3'600'000 * 5 + 17}};
  CHECK(group_of(t, d, task_grouping::hour) == "18000000");
  t.submitted_at = instant{span{-1}};
  CHECK(group_of(t, d, task_grouping::hour) == "-3600000");
}
