// What follows an attempt that failed, was declined, was stopped, or of which nobody knows.
#include "tests/support/workflow/scenario.hpp"

#include "workflow/supervision/review.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

TEST_CASE("row 31: a permanent error is not tried again, and undo begins") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  CHECK(x.state("b") == "failed");
  CHECK(x.state() == "undoing");
  CHECK(x.t.cause == "step `b` failed for good: not allowed");
  CHECK(x.state("a") == "compensating");
  CHECK(x.commands() == texts{"dispatch 0 attempt 2", "expire 0 attempt 2 at 30000 ms"});
  x.succeed("a");
  CHECK(x.state() == "undone");
  CHECK(x.at("b").attempt == 1);
}

TEST_CASE("row 31: a permanent error after an attempt that may have acted leaves the step to undo") {
  scenario x{two_steps()};
  x.take();
  x.fail("a", true);
  CHECK(x.state("a") == "unknown");
  x.wait();
  x.fail_for_good("a");
  CHECK(x.state("a") == "compensating");
}

TEST_CASE("row 32: an attempt that may have acted stays in doubt when a later one surely has not") {
  scenario x{two_steps()};
  x.take();
  x.fail("a", true);
  x.wait();
  x.fail("a", false);
  CHECK(x.state("a") == "unknown");
  x.must(cancelled{{"ann", "changed her mind"}});
  CHECK(x.state("a") == "compensating");
}

TEST_CASE("row 31: a permanent error while the task is suspended turns it round when it resumes") {
  scenario x{two_steps()};
  x.take();
  x.must(suspended{{"ann", ""}});
  x.fail_for_good("a");
  CHECK(x.state() == "suspended");
  CHECK(x.t.locked_by.empty());
  x.must(resumed{{"ann", ""}});
  CHECK(x.state() == "undone");
}

TEST_CASE("row 32: transient errors wait by back-off, then rounds, then the cool-off, then undo") {
  auto d = pipeline({step_named("a")});
  d.steps[0].retry.attempts = 3;
  d.steps[0].threshold = 2;
  d.steps[0].cool_off = {10min, 1};
  scenario x{d};
  x.take();
  std::vector<std::int64_t> waits;
  const auto next = [&] {
    const auto from = x.now;
    x.wait();
    waits.push_back((x.now - from).count());
  };
  const auto round = [&] {
    x.fail("a");
    next();
    x.fail("a");
    next();
    x.fail("a");
    CHECK(x.at("a").needs_review);
    x.supervise();
  };
  for (int i = 0; i < 3; ++i) {
    round();
    next();
  }
  round();
  CHECK(waits == std::vector<std::int64_t>{1000, 2000, 1000, 1000, 2000, 600'000, 1000, 2000, 1000, 1000, 2000});
  CHECK(x.at("a").attempt == attempts_limit(d.steps[0]));
  CHECK(x.state() == "undone");
  CHECK(x.t.cause == "step `a` used up its attempts: no luck");
  CHECK(x.t.failure_count == 4);
}

TEST_CASE("row 32: a step that is used up leaves the task in error where the workflow says so") {
  auto d = two_steps();
  ask_a_person_at_once(d.steps[1]);
  scenario x{d};
  x.take();
  x.succeed("a");
  x.fail("b");
  x.supervise();
  CHECK(x.state() == "error");
  CHECK(x.state("a") == "completed");
  REQUIRE(x.alerts.size() == 1);
  CHECK(x.alerts[0].kind == "error");
  CHECK(x.alerts[0].text == "step `b` used up its attempts: no luck");
}

TEST_CASE("a service may ask for a longer wait, but not for one without end") {
  scenario x{two_steps()};
  x.take();
  x.must(attempt_failed{x.ref("a"), false, false, 5min, "busy"});
  CHECK(x.at("a").not_before == x.now + 5min);
  x.wait();
  x.must(attempt_failed{x.ref("a"), false, false, span::max(), "busy"});
  CHECK(x.at("a").not_before == x.now + retry_after_max);
  scenario y{two_steps()};
  y.take();
  y.must(attempt_declined{y.ref("a"), span::max(), "full"});
  CHECK(y.at("a").not_before == y.now + retry_after_max);
}

TEST_CASE("a declined attempt counts as no try and leaves one line for all refusals in a row") {
  scenario x{two_steps()};
  x.take();
  for (int i = 0; i < 5; ++i) {
    x.decline("a");
    x.wait();
  }
  CHECK(x.at("a").tries == 0);
  CHECK(x.at("a").attempt == 6);
  CHECK(x.at("a").log.size() == 2);
  CHECK(x.at("a").log_dropped == 4);
  CHECK(x.at("a").waiting_since == start);
  x.succeed("a");
  CHECK(x.at("a").waiting_since == unset);
}

TEST_CASE("a task whose step no agent takes gives its scheduler's place back until the step is tried again") {
  scenario x{two_steps()};
  x.take();
  x.decline("a");
  CHECK(x.state() == "pending");
  CHECK(x.t.locked_by.empty());
  CHECK(x.t.not_before == x.at("a").not_before);
  CHECK(x.commands() == std::vector<std::string>{"let go"});
  CHECK(x.raise(taken{"s2"}) == event_status::refused);
  x.now = x.t.not_before;
  x.take("s2");
  CHECK(x.state("a") == "running");
  CHECK(x.at("a").tries == 0);
  CHECK(x.t.takeovers == 0);
}

TEST_CASE("a task whose undo no agent takes gives its place back too, though other steps wait for that undo") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.must(undo_requested{{"ann", ""}});
  x.take();
  x.decline("b");
  CHECK(x.state() == "undoing");
  CHECK(x.t.locked_by.empty());
  CHECK(x.t.not_before == x.at("b").not_before);
  CHECK(x.t.not_before > x.now);
  x.wait();
  x.succeed("b");
  x.succeed("a");
  CHECK(x.state() == "undone");
}

TEST_CASE("a task keeps its place while another step of it is under way or waits for the supervisor") {
  auto d = two_steps();
  d.steps[1].after.emplace(); // in parallel with the other
  d.steps[1].retry.attempts = 1;
  scenario x{d};
  x.take();
  x.decline("a");
  CHECK(x.state() == "processing");
  x.fail("b");
  REQUIRE(x.at("b").needs_review);
  CHECK(x.state() == "processing");
  x.wait();
  x.decline("a");
  CHECK(x.state() == "processing");
}

TEST_CASE("a forward attempt that is declined after undo began leaves no wait behind") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.must(undo_requested{{"ann", ""}});
  x.decline("b");
  CHECK(x.state("b") == "not_started");
  CHECK(x.at("b").not_before == unset);
  CHECK(x.at("b").waiting_since == unset);
  CHECK(x.state("a") == "compensating");
  x.now += 20s;
  CHECK(review(x.t, x.d, x.now).empty());
}

TEST_CASE("an attempt that an agent stops of its own accord counts as a failed try") {
  scenario x{two_steps()};
  x.take();
  x.must(attempt_stopped{x.ref("a"), true});
  CHECK(x.state("a") == "unknown");
  CHECK(x.at("a").tries == 1);
  CHECK(x.at("a").not_before == x.now + 1s);
  x.wait();
  x.succeed("a");
  x.fail_for_good("b");
  x.must(attempt_stopped{x.ref("a"), true});
  CHECK(x.state("a") == "compensating");
  CHECK(x.at("a").tries == 1);
  CHECK(x.at("a").not_before == x.now + 1s);
}

TEST_CASE("an attempt that stopped without having acted needs no undo") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.must(cancelled{{"ann", "changed her mind"}});
  x.must(attempt_stopped{x.ref("b"), false});
  CHECK(x.state("b") == "not_started");
  CHECK(x.state("a") == "compensating");
}

TEST_CASE("an unknown step is asked about before it is tried again") {
  auto d = two_steps();
  d.steps[0].probe = probe{"asker", 10s};
  const auto unknown = [&d] {
    scenario x{d};
    x.take();
    x.expire_round("a");
    x.wait();
    REQUIRE(x.at("a").doing == attempt_action::probe);
    CHECK(x.at("a").complete_by == x.now + 10s);
    CHECK(x.at("a").log.back().agent == "asker");
    return x;
  };
  SECTION("it happened: its result is taken as that of the step") {
    auto x = unknown();
    x.succeed("a", "7");
    CHECK(x.state("a") == "completed");
    CHECK(x.at("a").result.view() == "7");
  }
  SECTION("it did not happen: it is tried at once") {
    auto x = unknown();
    x.must(probe_denied{x.ref("a")});
    CHECK(x.state("a") == "running");
    CHECK(x.at("a").attempt == 3);
    CHECK_FALSE(x.at("a").maybe_done);
  }
  SECTION("no answer counts as a failed attempt") {
    auto x = unknown();
    x.fail("a");
    CHECK(x.state("a") == "unknown");
    CHECK(x.at("a").tries == 1);
    x.wait();
    CHECK(x.at("a").doing == attempt_action::probe);
    x.expire("a");
    CHECK(x.at("a").needs_review);
  }
  SECTION("an agent that stopped the probe counts as a failed attempt") {
    auto x = unknown();
    x.must(attempt_stopped{x.ref("a"), true});
    CHECK(x.at("a").tries == 1);
  }
}

TEST_CASE("an unknown step is asked about once before it is undone") {
  auto d = pipeline({step_named("a")});
  d.steps[0].probe = probe{"asker", 10s};
  scenario x{d};
  x.take();
  x.expire("a");
  x.must(undo_requested{{"ann", ""}});
  x.wait();
  REQUIRE(x.at("a").doing == attempt_action::probe);
  SECTION("it did not happen: nothing is undone") {
    x.must(probe_denied{x.ref("a")});
    CHECK(x.state() == "undone");
    CHECK(x.state("a") == "not_started");
  }
  SECTION("it happened: it is undone") {
    x.succeed("a");
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
  SECTION("an error is no answer: it is undone") {
    x.fail("a");
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
  SECTION("silence is no answer: it is undone") {
    x.expire("a");
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
  SECTION("a probe that was stopped is no answer") {
    x.must(attempt_stopped{x.ref("a"), true});
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
}

TEST_CASE("row 75: a step is asked about only when no earlier attempt can act any more") {
  auto d = two_steps();
  d.steps[0].probe = probe{"asker", 10s};
  scenario x{d};
  x.take();
  const auto settled = x.at("a").complete_by + x.d.grace;
  x.must(lock_lapsed{});
  x.take("s2");
  x.decline("a"); // ordered again; the first order is with an agent that nobody hears of
  x.wait();
  CHECK(x.state("a") == "unknown");
  CHECK(x.at("a").doing == attempt_action::none);
  CHECK(x.at("a").not_before == settled);
  x.wait();
  CHECK(x.at("a").doing == attempt_action::probe);
}

TEST_CASE("row 75: a probe without an answer does not shorten the wait for the attempts it asks about") {
  auto d = two_steps();
  d.steps[0].probe = probe{"asker", 10ms};
  scenario x{d};
  x.take();
  x.expire_round("a");
  x.wait();
  REQUIRE(x.at("a").doing == attempt_action::probe);
  const auto settled = x.at("a").settles_at;
  REQUIRE(settled <= x.now);
  SECTION("its time is over") {
    x.expire("a");
  }
  SECTION("the task went to error") {
    x.t.takeovers = x.d.takeovers_max + 1;
    x.must(lock_lapsed{});
    x.must(taken{"s2"});
    REQUIRE(x.state() == "error");
  }
  CHECK(x.at("a").settles_at == settled);
}

TEST_CASE("an expired attempt ends a row of refusals") {
  scenario x{two_steps()};
  x.take();
  x.decline("a");
  x.wait();
  x.expire("a");
  CHECK(x.at("a").waiting_since == unset);
}

TEST_CASE("what an agent says of a failure is cut to its bound, between two characters") {
  scenario x{two_steps()};
  x.take();
  const std::string said = std::string(note_size_max - 1, 'x') + "\u00e4";
  x.must(attempt_failed{x.ref("a"), false, false, span{0}, said});
  CHECK(x.at("a").error == std::string(note_size_max - 1, 'x'));
  CHECK(x.at("a").log.back().note == x.at("a").error);
  x.wait();
  x.must(attempt_declined{x.ref("a"), span{0}, said});
  CHECK(x.at("a").waiting_for == std::string(note_size_max - 1, 'x'));
}

TEST_CASE("row 33: what an agent only claims to have done is undone when the step that verifies it finds nothing") {
  scenario x{pipeline({step_named("a"), step_named("verify")})};
  x.take();
  x.succeed("a");
  x.fail_for_good("verify");
  CHECK(x.state("a") == "compensating");
  x.succeed("a");
  CHECK(x.state() == "undone");
}
