// What is told of an undo that waits for tasks which steps have started.

#include "workflow/on_call/child_undo.hpp"

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

std::string told_of_undo(const scenario& child) {
  return explain_undo_of(child.t, child.d, with_trip(), 1, child.now).text;
}

const std::string it_waits = "undoing: step `trip` waits for the undo of task `o-1/trip`: ";

} // namespace

TEST_CASE("a step waits for the undo of its task from when that is asked for until it is told of its end") {
  scenario s{with_trip()};
  CHECK(waiting_for_undo_of_tasks(s.t, s.d).empty());
  s.take();
  s.succeed("a");
  CHECK(waiting_for_undo_of_tasks(s.t, s.d).empty()); // it waits for its end
  s.must(undo_requested{undoer});
  s.take();
  CHECK(waiting_for_undo_of_tasks(s.t, s.d) == std::vector<std::size_t>{1});
  s.must(child_ended{1, {child_state::undone, "no room", {}, {}}});
  CHECK(waiting_for_undo_of_tasks(s.t, s.d).empty());
}

TEST_CASE("a task whose undo holds up that of its parent is told with what it waits for itself") {
  auto x = conference_task();
  CHECK(told_of_undo(x) == it_waits + "processing: by scheduler `s1`"); // it has not been asked
  x.succeed("room");
  x.must(undo_requested{undoer});
  CHECK(told_of_undo(x) == it_waits + "pending: the undo waits until a scheduler takes it");
  x.take();
  CHECK_THAT(told_of_undo(x), Catch::StartsWith(it_waits + "undoing: step `room`, attempt "));
  x.decline("room");
  CHECK_THAT(told_of_undo(x), Catch::StartsWith(it_waits + "waiting: "));
  CHECK(explain_undo_of(x.t, x.d, with_trip(), 1, x.now).at == x.at("room").not_before);
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
