// What is told of steps that wait for tasks which they have started.

#include "workflow/on_call/child_wait.hpp"

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

const by undoer{"eve", "a test"};

/// Its step `trip` starts a task.
definition with_trip() {
  auto d = pipeline({step_named("a"), step_named("trip")});
  auto& s = d.steps[1];
  s.agent.clear();
  s.compensation.reset();
  s.wait.emplace();
  s.wait->what = wait_rule::kind::child;
  s.wait->name = "conference";
  return d;
}

/// `room` of the started task is done.
scenario conference_task() {
  scenario x{pipeline({step_named("room")})};
  x.t.id = "o-1/trip";
  x.take();
  return x;
}

/// Its step `trip` waits for the task that it started.
scenario parent() {
  scenario s{with_trip()};
  s.take();
  s.succeed("a");
  return s;
}

scenario undone_parent() {
  auto s = parent();
  s.must(undo_requested{undoer});
  s.take();
  return s;
}

explanation told_in(const scenario& parent, const scenario& child) {
  return explain_wait_for(child.t, child.d, parent.t, parent.d, 1, child.now);
}

std::string told_of_undo(const scenario& child) {
  return told_in(undone_parent(), child).text;
}

std::string told_of_end(const scenario& child) {
  return told_in(parent(), child).text;
}

const std::string it_waits = "undoing: step `trip` waits for the undo of task `o-1/trip`: ";

} // namespace

TEST_CASE("a step waits for its task, or for its undo, from when it began that until it is told of its end") {
  scenario s{with_trip()};
  CHECK(waiting_for_tasks(s.t, s.d).empty());
  s = parent();
  CHECK(waiting_for_tasks(s.t, s.d) == std::vector<std::size_t>{1});
  s.must(undo_requested{undoer});
  CHECK(waiting_for_tasks(s.t, s.d).empty());
  s.take();
  CHECK(waiting_for_tasks(s.t, s.d) == std::vector<std::size_t>{1});
  s.must(child_ended{1, {child_state::undone, "no room", {}, {}}});
  CHECK(waiting_for_tasks(s.t, s.d).empty());
}

TEST_CASE("a task whose undo holds up that of its parent is told with what it waits for itself") {
  auto x = conference_task();
  CHECK(told_of_undo(x) == it_waits + "running: step `room`, attempt 1 must answer by"); // it has not been asked
  x.succeed("room");
  x.must(undo_requested{undoer});
  CHECK(told_of_undo(x) == it_waits + "pending: the undo waits until a scheduler takes it");
  x.take();
  CHECK_THAT(told_of_undo(x), Catch::StartsWith(it_waits + "undoing: step `room`, attempt "));
  x.decline("room");
  CHECK_THAT(told_of_undo(x), Catch::StartsWith(it_waits + "waiting: "));
  CHECK(told_in(undone_parent(), x).at == x.at("room").not_before);
  auto rests = x;
  rests.must(suspended{undoer});
  CHECK_THAT(told_of_undo(rests), Catch::StartsWith(it_waits + "suspended by eve"));
  x = conference_task();
  x.succeed("room");
  x.must(undo_requested{undoer});
  x.take();
  x.fail_for_good("room");
  CHECK_THAT(told_of_undo(x), Catch::StartsWith(it_waits + "error: a person is needed: the undo of `room` failed"));
}

TEST_CASE("a task whose end its parent waits for is told with what it waits for itself") {
  const std::string waits = "waiting: step `trip` waits for task `o-1/trip`: ";
  scenario fresh{pipeline({step_named("room")})};
  fresh.t.id = "o-1/trip";
  CHECK(told_of_end(fresh) == waits + "pending: in the queue with priority 5, until a scheduler has room for it");
  auto x = conference_task();
  CHECK(told_of_end(x) == waits + "running: step `room`, attempt 1 must answer by");
  x.fail("room");
  CHECK_THAT(told_of_end(x), Catch::StartsWith(waits + "waiting: step `room`"));
  x.must(suspended{undoer});
  CHECK_THAT(told_of_end(x), Catch::StartsWith(waits + "suspended by eve (a test)"));
}

TEST_CASE("an item is told with what holds it up, and an item that is undone before the step with that of its undo") {
  auto p = parent();
  p.d.steps[1].wait->what = wait_rule::kind::items;
  auto x = conference_task();
  x.must(suspended{undoer});
  CHECK_THAT(told_in(p, x).text,
             Catch::StartsWith("waiting: step `trip` waits for task `o-1/trip`: suspended by eve (a test)"));
  x = conference_task();
  x.succeed("room");
  x.must(undo_requested{undoer});
  x.take();
  CHECK_THAT(told_in(p, x).text, Catch::StartsWith(it_waits + "undoing: step `room`"));
  x.fail_for_good("room");
  CHECK_THAT(told_in(p, x).text, Catch::StartsWith(it_waits + "error: a person is needed"));
}
