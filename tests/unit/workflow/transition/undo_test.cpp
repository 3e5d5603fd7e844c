// The way back: what is undone, when, and what happens if it cannot be.
#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

TEST_CASE("row 71: an undo that fails transiently is tried again under its own retry") {
  scenario x{two_steps()};
  x.d.steps[0].compensation->retry.initial = 3s;
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  x.fail("a");
  CHECK(x.state("a") == "compensating");
  CHECK(x.at("a").not_before == x.now + 3s);
  x.wait();
  x.succeed("a");
  CHECK(x.state() == "undone");
}

TEST_CASE("row 71: an undo that fails for good ends in error with an alert, and the other undos still run") {
  scenario x{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.fail_for_good("c");
  CHECK(x.state("b") == "compensating");
  CHECK(x.state("a") == "completed"); // it waits for the undo of b
  x.fail_for_good("b");
  CHECK(x.state("b") == "compensation_failed");
  REQUIRE(x.alerts.size() == 1);
  CHECK(x.alerts[0].kind == "undo_failed");
  CHECK(x.alerts[0].step == "b");
  CHECK(x.state("a") == "compensating");
  x.succeed("a");
  CHECK(x.state("a") == "compensated");
  CHECK(x.state() == "error");
  CHECK(x.alerts.back().text
        == "undo failed, still in place: `b`; why it was undone: step `c` failed for good: not allowed");
  CHECK(x.notices.back().kind == notice_kind::error);
}

TEST_CASE("row 71: all undos that are still in place are named") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  scenario x{d};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.fail_for_good("c");
  x.fail_for_good("b");
  x.fail_for_good("a");
  CHECK(x.notices.back().text == "undo failed, still in place: `a`, `b`");
}

TEST_CASE("row 75: a step of unknown outcome is undone too, once its complete-by and the grace have passed") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.expire("b");
  CHECK(x.state("b") == "unknown");
  const auto settled = x.at("b").complete_by + x.d.grace;
  CHECK(x.at("b").settles_at == settled);
  x.must(undo_requested{{"ann", ""}});
  CHECK(x.state("b") == "unknown");
  CHECK(x.state("a") == "completed");
  CHECK(x.at("b").not_before == settled);
  x.now = settled - 1ms;
  CHECK(x.raise(time_passed{}) == event_status::ignored);
  x.now = settled;
  x.must(time_passed{});
  CHECK(x.state("b") == "compensating");
  CHECK(x.state("a") == "completed"); // it comes before b, so it waits for the undo of b
  x.succeed("b");
  CHECK(x.state("a") == "compensating");
}

TEST_CASE("row 75: undo waits for the grace of a step that has no undo of its own") {
  auto d = two_steps();
  d.steps[1].compensation.reset();
  scenario x{d};
  x.take();
  x.succeed("a");
  x.expire("b");
  x.must(undo_requested{{"ann", ""}});
  CHECK(x.state("a") == "completed");
  x.wait();
  CHECK(x.now == x.at("b").settles_at);
  CHECK(x.state("a") == "compensating");
}

TEST_CASE("row 75: undo waits until a running attempt has stopped or expired") {
  auto d = two_steps();
  d.steps[1].after = std::vector<std::string>{};
  scenario x{d};
  x.take();
  x.succeed("a");
  x.must(cancelled{{"ann", ""}});
  CHECK(x.state("a") == "completed");
  CHECK(x.state("b") == "running");
  SECTION("stopped") {
    x.must(attempt_stopped{x.ref("b"), true});
    CHECK(x.state("a") == "compensating");
    CHECK(x.state("b") == "compensating");
  }
  SECTION("expired") {
    x.expire("b");
    CHECK(x.state("a") == "completed");
    CHECK_FALSE(x.at("b").needs_review);
    x.wait();
    CHECK(x.state("a") == "compensating");
    CHECK(x.state("b") == "compensating");
  }
}

TEST_CASE("row 75: an attempt that ended without the service's own word is undone after its complete-by and grace") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  const auto settled = x.at("b").complete_by + x.d.grace;
  SECTION("its connection was lost, and then it was cancelled") {
    x.must(attempt_failed{x.ref("b"), false, true, span{0}, "the connection was lost", true});
    x.must(cancelled{{"ann", ""}});
  }
  SECTION("it failed for good after an earlier call was lost") {
    x.must(attempt_failed{x.ref("b"), true, true, span{0}, "refused", true});
  }
  SECTION("it was stopped before anybody heard the service's word") {
    x.must(cancelled{{"ann", ""}});
    x.must(attempt_stopped{x.ref("b"), true, true});
  }
  CHECK(x.state() == "undoing");
  CHECK(x.state("b") == "unknown");
  CHECK(x.at("b").settles_at == settled);
  CHECK(x.at("b").not_before == settled);
  CHECK(x.at("b").waiting_for == "until no earlier attempt can act any more");
  x.now = settled - 1ms;
  CHECK(x.raise(time_passed{}) == event_status::ignored);
  x.now = settled;
  x.must(time_passed{});
  CHECK(x.state("b") == "compensating");
}

TEST_CASE("row 75: a step that completed after a call without a word is undone after its complete-by and grace") {
  scenario x{two_steps()};
  x.take();
  x.must(attempt_succeeded{x.ref("a"), blob{std::string{"{}"}}, {}, true});
  const auto settled = x.at("a").complete_by + x.d.grace;
  x.fail_for_good("b");
  CHECK(x.state() == "undoing");
  CHECK(x.state("a") == "completed");
  CHECK(x.at("a").not_before == settled);
  x.wait();
  CHECK(x.now == settled);
  CHECK(x.state("a") == "compensating");
}

TEST_CASE("row 75: a probe asks only when an attempt without the service's own word can act no more") {
  auto d = two_steps();
  d.steps[0].probe = probe{"probe_a", 3s};
  scenario x{d};
  x.take();
  const auto settled = x.at("a").complete_by + x.d.grace;
  x.must(attempt_failed{x.ref("a"), false, true, span{0}, "HTTP 504", true});
  SECTION("before the next attempt") {
    x.wait();
    CHECK(x.now < settled);
    CHECK(x.at("a").doing == attempt_action::none);
    x.wait();
  }
  SECTION("before undo") {
    x.must(cancelled{{"ann", ""}});
    x.wait();
  }
  CHECK(x.now == settled);
  CHECK(x.at("a").doing == attempt_action::probe);
}

TEST_CASE("row 74: the service's own word settles an attempt at once, also when it is not wanted any more") {
  auto d = two_steps();
  d.steps[1].after = std::vector<std::string>{};
  scenario x{d};
  x.take();
  x.fail_for_good("a");
  CHECK(x.state() == "undoing");
  CHECK(x.state("b") == "running");
  SECTION("it happened") {
    x.succeed("b");
    CHECK(x.state("b") == "compensating");
  }
  SECTION("it was refused") {
    x.fail_for_good("b");
    CHECK(x.state() == "undone");
  }
  SECTION("it failed, and may have happened") {
    x.fail("b", true);
    CHECK(x.state("b") == "compensating");
  }
}

TEST_CASE("row 75: an undo without an answer may act until its complete-by and grace: nothing is undone before that") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  REQUIRE(x.state("a") == "compensating");
  x.d.grace = 10min; // longer than what comes between
  const auto settled = x.at("a").complete_by + x.d.grace;
  x.expire_round("a");
  CHECK(x.at("a").settles_at == settled);
  x.now = std::max(x.now, x.t.not_before);
  REQUIRE(x.now < settled);
  x.take("s2");
  CHECK(x.at("a").doing == attempt_action::none);
  CHECK(x.at("a").not_before == settled);
  x.wait();
  CHECK(x.now == settled);
  CHECK(x.at("a").doing == attempt_action::compensate);
}

TEST_CASE("row 14: undo waits for the first order of an attempt that was ordered again under a new lock") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.must(lock_lapsed{});
  x.take("s2");
  const auto settled = x.at("b").complete_by + x.d.grace;
  SECTION("failed for good") {
    x.fail_for_good("b");
  }
  SECTION("stopped by its agent") {
    x.must(undo_requested{{"ann", ""}});
    x.must(attempt_stopped{x.ref("b"), false});
  }
  CHECK(x.state() == "undoing");
  CHECK(x.state("b") != "compensating");
  x.now = settled - 1ms;
  CHECK(x.raise(time_passed{}) == event_status::ignored);
  x.now = settled;
  x.must(time_passed{});
  CHECK(x.state("b") == "compensating");
}

TEST_CASE("row 14: a success decides nothing about other orders of its step: undo waits for them") {
  scenario x{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  x.take();
  x.succeed("a");
  x.must(lock_lapsed{});
  x.take("s2");
  const auto settled = x.at("b").complete_by + x.d.grace;
  x.succeed("b");
  x.fail_for_good("c");
  CHECK(x.state("b") == "completed");
  CHECK(x.at("b").not_before == settled);
  x.wait();
  CHECK(x.now == settled);
  CHECK(x.state("b") == "compensating");
}

TEST_CASE("no attempt goes on after forward work has to end") {
  auto d = two_steps();
  d.deadline = 40s;
  d.undo_reserve = 15s;
  scenario x{d};
  x.take();
  CHECK(x.at("a").complete_by == start + 25s);
  x.now = start + 20s;
  x.succeed("a");
  CHECK(x.at("b").complete_by == start + 25s);
  x.expire("b");
  CHECK(x.state() == "undoing");
  CHECK(x.t.cause == "its deadline passed before the work was done");
  CHECK_FALSE(x.at("b").needs_review);
  x.wait();
  CHECK(x.at("b").complete_by == x.now + 30s); // undo is not cut short
}
