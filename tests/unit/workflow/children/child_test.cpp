// Steps that start a task and wait for its end.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/children/child.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/on_call/incident.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/waiting.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

const by eve{"eve", "a test"};

step_definition child_named(std::string name, std::string pointer = {}) {
  step_definition s;
  s.name = std::move(name);
  s.wait.emplace();
  s.wait->what = wait_rule::kind::child;
  s.wait->name = "conference";
  s.wait->at.pointer = std::move(pointer);
  return s;
}

/// Step `a` is done, and `trip` has its child at work.
scenario with_child() {
  scenario s{pipeline({step_named("a"), child_named("trip"), step_named("b")})};
  s.t.id = "o-1";
  s.t.payload = blob{R"({"to":"Lisbon"})"};
  s.take();
  s.succeed("a");
  return s;
}

child_ended end(child_state how, std::string why = "no room", std::string result = R"({"seat":7})") {
  return {1, {how, std::move(why), blob{std::move(result)}, {}}};
}

std::string told(const scenario& s) {
  std::string all;
  for (const auto& e : explain(s.t, s.d, s.now))
    all += e.text + "\n";
  return all;
}

} // namespace

TEST_CASE("a step that starts a task waits for it and takes no place, and has its result") {
  auto s = with_child();
  CHECK_THAT(told(s), Catch::Contains("waiting: step `trip` for the end of task `o-1/trip` of workflow `conference`"));
  CHECK(wait_of(s.t, s.d, s.now)->detail == "step `trip`: waits for its task");
  CHECK(s.state("trip") == "waiting");
  CHECK(s.state() == "pending");
  CHECK(s.t.not_before == forward_ends_at(s.t, s.d));
  auto rests = s;
  rests.must(suspended{eve});
  CHECK_THAT(told(rests), Catch::Contains("suspended by eve") && Catch::Contains("for the end of task `o-1/trip`"));
  s.must(end(child_state::processed));
  CHECK(s.state("trip") == "completed");
  CHECK(s.at("trip").result.view() == R"({"seat":7})");
  CHECK(s.at("trip").log.back().note == "task `o-1/trip` was processed");
  s.take();
  CHECK(s.state("b") == "running");
}

TEST_CASE("a child that was undone, or could not be started, fails its step for good, and nothing of it is undone") {
  for (const auto how : {child_state::undone, child_state::refused}) {
    auto s = with_child();
    s.must(end(how));
    CHECK(s.state("trip") == "failed");
    CHECK(s.state() == "undoing");
    CHECK_THAT(s.t.cause, Catch::Contains("task `o-1/trip`") && Catch::Contains("no room"));
    s.take();
    CHECK(s.state("a") == "compensating");
    s.succeed("a");
    CHECK(s.state() == "undone");
    CHECK(s.raise(end(child_state::undone)) == event_status::ignored);
  }
}

TEST_CASE("a child in error raises one alert of its parent, which is over when the child goes on") {
  auto s = with_child();
  s.must(end(child_state::in_error));
  CHECK(s.state("trip") == "waiting");
  REQUIRE(s.alerts.size() == 1);
  CHECK(s.alerts.back().kind == "waiting");
  CHECK_THAT(s.alerts.back().text, Catch::Contains("`o-1/trip`") && Catch::Contains("no room"));
  CHECK(still_holds(s.alerts.back(), s.t, s.d));
  CHECK(s.raise(end(child_state::in_error)) == event_status::ignored);
  s.must(end(child_state::at_work));
  CHECK_FALSE(still_holds(s.alerts.back(), s.t, s.d));
  s.must(end(child_state::processed));
  CHECK(s.state("trip") == "completed");
}

TEST_CASE("undo goes on through a child that has ended, in the order of undo, and ends with the child's") {
  auto s = with_child();
  s.must(end(child_state::processed));
  s.take();
  s.fail_for_good("b", true);
  CHECK(s.state() == "undoing");
  if (s.at("b").settles_at > s.now) {
    s.now = s.at("b").settles_at;
    s.must(time_passed{});
  }
  CHECK(s.state("b") == "compensating");
  CHECK(s.state("trip") == "completed");
  s.succeed("b");
  CHECK(s.state("trip") == "compensating");
  CHECK(s.state("a") == "completed");
  CHECK(s.t.locked_by.empty()); // it takes no place
  CHECK(is_undo_of_child_awaited(s.at("trip"), s.d.steps[1]));
  CHECK_THAT(told(s), Catch::Contains("undoing: step `trip`: task `o-1/trip` of workflow `conference`"));
  CHECK_THAT(told(s), !Catch::Contains("until a scheduler takes it"));
  CHECK(wait_of(s.t, s.d, s.now)->detail == "step `trip`: its task is undone");
  CHECK(s.raise(end(child_state::processed)) == event_status::ignored);
  s.must(end(child_state::undone));
  CHECK(s.state("trip") == "compensated");
  CHECK_THAT(told(s), Catch::Contains("until a scheduler takes it"));
  s.take();
  CHECK(s.state("a") == "compensating");
  s.succeed("a");
  CHECK(s.state() == "undone");
}

TEST_CASE("cancelling a task undoes the child at work, and what came before only after it") {
  auto s = with_child();
  s.must(cancelled{eve});
  s.take();
  CHECK(s.state("trip") == "compensating");
  CHECK(s.state("a") == "completed");
  CHECK(s.t.locked_by.empty());
  s.must(end(child_state::undone));
  s.take();
  CHECK(s.state("a") == "compensating");
}

TEST_CASE("a child whose undo fails puts its parent into error, and its late success settles that") {
  auto s = with_child();
  s.must(undo_requested{eve});
  s.take();
  s.must(end(child_state::undo_failed, "the hall is let"));
  CHECK(s.state("trip") == "compensation_failed");
  CHECK(s.alerts.back().kind == "undo_failed");
  CHECK_THAT(s.at("trip").error, Catch::Contains("`o-1/trip`") && Catch::Contains("the hall is let"));
  s.take();
  s.succeed("a");
  CHECK(s.state() == "error");
  const auto generation = s.t.generation;
  s.must(end(child_state::undone));
  CHECK(s.state() == "undone");
  CHECK(s.t.generation == generation + 1);
}

TEST_CASE("a failed undo of a child is tried again by a person, or settled by hand") {
  auto s = with_child();
  s.must(undo_requested{eve});
  s.take();
  s.must(end(child_state::undo_failed));
  s.take();
  s.succeed("a");
  auto by_hand = s;
  s.must(step_retried{1, false, eve});
  s.take();
  CHECK(is_undo_of_child_awaited(s.at("trip"), s.d.steps[1]));
  CHECK(s.at("trip").attempt == 3);
  CHECK(s.raise(step_retried{1, false, eve}) == event_status::refused);
  s.must(end(child_state::undone));
  CHECK(s.state() == "undone");
  by_hand.must(step_skipped{1, {}, {}, eve});
  CHECK(by_hand.state("trip") == "compensated");
}

TEST_CASE("a suspended task whose child is undone goes on with that when it resumes") {
  auto s = with_child();
  s.must(undo_requested{eve});
  s.take();
  s.must(suspended{eve});
  s.must(undo_requested{eve});
  CHECK(is_undo_of_child_awaited(s.at("trip"), s.d.steps[1]));
  s.must(end(child_state::undone));
  CHECK(s.state("trip") == "compensated");
}

TEST_CASE(
  "a task that goes to error while its child runs may have it, so that undo covers it and a retry waits for it") {
  auto d = pipeline({step_named("a"), child_named("trip")});
  d.steps[1].after.emplace();
  d.steps[0].exhausted = on_exhausted::error;
  d.steps[0].threshold = 1;
  d.steps[0].cool_off.count = 0;
  d.steps[0].retry.attempts = 1;
  scenario s{d};
  s.take();
  CHECK(s.state("trip") == "waiting");
  s.fail("a");
  s.supervise();
  CHECK(s.state() == "error");
  CHECK(s.state("trip") == "unknown");
  CHECK(undo_order(s.t, s.d) == std::vector<std::size_t>{1});
  auto retried = s;
  retried.must(step_retried{0, false, eve});
  retried.take();
  CHECK(retried.state("trip") == "waiting");
  retried.must(end(child_state::processed));
  CHECK(retried.state("trip") == "completed");
  s.must(undo_requested{eve});
  s.take();
  CHECK(is_undo_of_child_awaited(s.at("trip"), s.d.steps[1]));
}

TEST_CASE(
  "a child that was to be started in the change that turns its task round is none, and nothing of it is undone") {
  auto d = pipeline({child_named("trip"), until_named("later", {source::kind::payload, {}, "/n", {}})});
  d.steps[1].after.emplace();
  scenario s{d};
  s.take();
  CHECK(s.state("later") == "failed");
  CHECK(s.state("trip") == "not_started");
  CHECK(s.state() == "undone");
}

TEST_CASE("a skipped step has its child undone with the task all the same") {
  auto s = with_child();
  s.must(step_skipped{1, blob{"{}"}, {}, eve});
  CHECK(s.state("trip") == "skipped");
  CHECK(needs_undo(s.at("trip"), s.d.steps[1]));
  CHECK(s.raise(end(child_state::processed)) == event_status::ignored);
}

TEST_CASE("the id of a child is that of the parent and the step, with a digest where that is too long") {
  auto s = with_child();
  CHECK(child_id(s.t, s.d, 1) == "o-1/trip");
  s.t.id = std::string(task_id_size_max, 'x');
  const auto id = child_id(s.t, s.d, 1);
  CHECK(id.size() == task_id_size_max);
  CHECK(id.starts_with("xxx"));
  CHECK(child_id(s.t, s.d, 0) != id);
  s.t.id.back() = 'y';
  CHECK(child_id(s.t, s.d, 1) != id);
}

TEST_CASE("a child gets the whole payload, a place in it, or a place in an earlier result") {
  auto s = with_child();
  s.t.number = 9;
  auto x = child_of(s.t, s.d, 1);
  CHECK(x.problem.empty());
  CHECK(x.what.payload.view() == R"({"to":"Lisbon"})");
  CHECK(x.what.workflow == "conference");
  CHECK(x.parent == parent_link{"o-1", 9, 1, 1, family_max - 1});
  s.d.steps[1].wait->at.pointer = "/to";
  CHECK(child_of(s.t, s.d, 1).what.payload.view() == "\"Lisbon\"");
  s.d.steps[1].wait->at = {source::kind::result, "a", "/hotel", {}};
  CHECK_THAT(child_of(s.t, s.d, 1).problem, Catch::Contains("/hotel"));
  s.t.steps.change(0).facts = {{"/hotel", "4"}};
  CHECK(child_of(s.t, s.d, 1).what.payload.view() == "4");
}

TEST_CASE("children of children are bounded in depth and in number") {
  auto s = with_child();
  s.t.parent.change() = {"p", 3, 0, depth_max - 1, 5};
  CHECK(child_of(s.t, s.d, 1).problem.empty());
  CHECK(child_of(s.t, s.d, 1).parent.room == 4);
  s.t.parent.change().depth = depth_max;
  CHECK_THAT(child_of(s.t, s.d, 1).problem, Catch::Contains("8 deep"));
  s.t.parent.change() = {"p", 3, 0, 1, 0};
  CHECK_THAT(child_of(s.t, s.d, 1).problem, Catch::Contains("100000"));
}

TEST_CASE("what a parent or a child has yet to be told is found from both") {
  auto s = with_child();
  task child;
  CHECK(duty_of(s.t, s.d, 1, nullptr) == child_duty::start);
  CHECK(duty_of(s.t, s.d, 0, nullptr) == child_duty::none);
  CHECK(duty_of(s.t, s.d, 1, &child) == child_duty::none);
  child.state = process_state::processed;
  CHECK(duty_of(s.t, s.d, 1, &child) == child_duty::tell_parent);
  child.state = process_state::error;
  CHECK(duty_of(s.t, s.d, 1, &child) == child_duty::none);
  s.must(undo_requested{eve});
  s.take();
  CHECK(duty_of(s.t, s.d, 1, nullptr) == child_duty::tell_parent);
  child.state = process_state::processing;
  CHECK(duty_of(s.t, s.d, 1, &child) == child_duty::undo);
  child.state = process_state::undoing;
  CHECK(duty_of(s.t, s.d, 1, &child) == child_duty::none);
  child.state = process_state::undone;
  CHECK(duty_of(s.t, s.d, 1, &child) == child_duty::tell_parent);
}

TEST_CASE("a payload without the place that a child gets is refused, and so is a bad definition") {
  auto d = pipeline({step_named("a"), child_named("trip", "/trip")});
  CHECK(payload_needs{d}.problems(R"({"trip":1})").empty());
  CHECK_THAT(payload_needs{d}.problems("{}").front(), Catch::Contains("step `trip` gives to its task"));
  CHECK(problems(d).empty());
  d.steps[1].wait->name = "no name";
  CHECK_THAT(problems(d).front(), Catch::Contains("step `trip`: workflow"));
  d.steps[1].wait->name = "x";
  d.steps[1].wait->at = {source::kind::result, "b", "", {}};
  CHECK_THAT(problems(d).front(), Catch::Contains("payload"));
}
