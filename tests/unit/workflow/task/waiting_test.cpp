#include "tests/support/workflow/scenario.hpp"
#include "workflow/task/waiting.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

std::string cause(const scenario& x) {
  const auto w = wait_of(x.t, x.d, x.now);
  return w ? w->cause : "";
}

} // namespace

TEST_CASE("what a task waits for is told, and since when, one with an attempt under way does not wait") {
  scenario x{two_steps()};
  CHECK(cause(x) == "in the queue: no scheduler has room");
  x.t.not_before = x.now + 1h;
  CHECK(cause(x) == "not to be started before its time");
  CHECK(wait_of(x.t, x.d, x.now)->is_meant);
  x.t.not_before = unset;
  x.take();
  CHECK(cause(x).empty());
  x.fail("a");
  CHECK(cause(x) == "step `a`: waits before the next attempt");
  x.wait();
  x.decline("a");
  const auto declined_at = x.now;
  const auto w = wait_of(x.t, x.d, x.now);
  REQUIRE(w);
  CHECK(w->since == declined_at);
  CHECK(w->detail.find("step `a`: ") == 0);
  CHECK_FALSE(w->is_meant);
}

TEST_CASE("a suspended task waits for a person, one that has ended for nothing") {
  scenario x{two_steps()};
  x.must(suspended{{"ann", "stocktaking"}});
  x.now += 1h;
  const auto w = wait_of(x.t, x.d, x.now);
  REQUIRE(w);
  CHECK(w->cause == "suspended by a person");
  CHECK(w->is_meant);
  CHECK(w->since == start);
  x.must(resumed{{"ann", ""}});
  x.take();
  x.succeed("a");
  x.succeed("b");
  CHECK(cause(x).empty());
}

TEST_CASE("those that wait for the same have the same cause, whatever the figures") {
  scenario x{two_steps()};
  x.take();
  const auto with = [&](const std::string& why) {
    x.t.steps.change(0).doing = attempt_action::none;
    x.t.steps.change(0).waiting_since = x.now;
    x.t.steps.change(0).waiting_for = why;
    return cause(x);
  };
  CHECK(with("circuit for `svc2` open until 2026-01-01T12:00:05Z") == "step `a`: circuit for `svc2` open");
  CHECK(with("agent `svc2` has 17 orders waiting") == "step `a`: agent `svc2` has n orders waiting");
}

TEST_CASE("a task is stuck when what was due is long past") {
  scenario x{two_steps()};
  CHECK(why_stuck(x.t, x.d, x.now, 1min).empty());
  x.take();
  x.now = x.at("a").complete_by + 59s;
  CHECK(why_stuck(x.t, x.d, x.now, 1min).empty());
  x.now += 1s;
  CHECK(why_stuck(x.t, x.d, x.now, 1min) == "what was due was not taken up");
  x.supervise();
  CHECK(why_stuck(x.t, x.d, x.now, 1min).empty());
}

TEST_CASE("a task that nothing would ever go on with breaks an invariant") {
  scenario x{two_steps()};
  x.take();
  x.fail_for_good("a");
  x.t.state = process_state::undoing; // locked, nothing to undo, nothing due
  x.t.cause = "a test";
  x.t.locked_by = "s1";
  x.t.ended_at = unset;
  for (std::size_t i = 0; i < x.t.steps.size(); ++i)
    x.t.steps.change(i) = step{};
  CHECK_FALSE(has_next_thing(x.t, x.d));
  CHECK(why_stuck(x.t, x.d, x.now, 1min) == "nothing is due, and no scheduler may take it");
}
