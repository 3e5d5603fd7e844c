// What the supervisor may do to a task.
#include "tests/support/workflow/scenario.hpp"

#include "workflow/supervision/review.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

TEST_CASE("row 39: one change counts the failure, releases the lock and makes the task pending again") {
  scenario x{two_steps()};
  x.take();
  x.expire("a");
  const auto counted = apply(x.t, x.d, round_failed{0, 1}, x.now);
  REQUIRE(counted.result == event_status::applied);
  CHECK(counted.next.state == process_state::pending);
  CHECK(counted.next.locked_by.empty());
  CHECK(counted.next.failure_count == 1);
  CHECK(counted.next.steps[0].failure_count == 1);
  CHECK_FALSE(counted.next.steps[0].needs_review);
  CHECK(counted.next.not_before == x.now + 1s);
  CHECK(texts_of(counted.commands) == texts{"let go"});
  // Told twice, it is counted once.
  const auto again = apply(counted.next, x.d, round_failed{0, 1}, x.now);
  CHECK(again.result == event_status::ignored);
}

TEST_CASE("row 44: of an answer and an expiry, whichever comes first decides and the other has no effect") {
  scenario x{two_steps()};
  x.take();
  const auto ref = x.ref("a");
  SECTION("the answer") {
    x.now = x.at("a").complete_by - 1ms;
    x.succeed("a");
    const task before = x.t;
    x.now += 1ms;
    CHECK(x.raise(attempt_expired{ref}) == event_status::ignored);
    CHECK(x.raise(round_failed{ref.step, ref.attempt}) == event_status::ignored);
    CHECK(x.t == before);
    CHECK(x.t.failure_count == 0);
  }
  SECTION("the expiry") {
    x.expire_round("a");
    const task before = x.t;
    CHECK(x.raise(attempt_succeeded{ref, {}, {}}) == event_status::refused);
    CHECK(x.last.evidence.has_value());
    CHECK(x.t == before);
  }
}

TEST_CASE("a failed round is counted only for the attempt that used it up") {
  scenario x{two_steps()};
  x.take();
  x.expire("a");
  CHECK(x.raise(round_failed{0, 7}) == event_status::ignored);
  CHECK(x.raise(round_failed{1, 0}) == event_status::ignored);
  CHECK(x.raise(round_failed{2, 1}) == event_status::refused);
  x.must(suspended{{"ann", ""}});
  CHECK(x.raise(round_failed{0, 1}) == event_status::ignored);
  CHECK(x.last.reason == "it is decided when the task resumes");
  x.must(resumed{{"ann", ""}});
  x.must(round_failed{0, 1});
}

TEST_CASE("a failed round leaves the lock where other steps are under way") {
  auto d = two_steps();
  d.steps[1].after = std::vector<std::string>{};
  scenario x{d};
  x.take();
  x.must(attempt_failed{x.ref("b"), false, false, span{0}, "no luck"});
  x.now += 29s;
  x.must(time_passed{});
  x.now += 1s;
  x.expire_round("a");
  CHECK(x.state() == "processing");
  CHECK(x.state("b") == "running");
  CHECK(x.commands() == texts{"wake 0 at 31000 ms"});
}

TEST_CASE("an undo whose rounds are used up fails with an alert, and the last one ends the task") {
  auto d = two_steps();
  d.steps[0].threshold = 1;
  d.steps[0].cool_off.count = 0;
  scenario x{d};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  x.expire_round("a");
  CHECK(x.state("a") == "compensation_failed");
  CHECK(x.state() == "error");
  REQUIRE(x.alerts.size() == 2);
  CHECK(x.alerts[0].step == "a");
  CHECK(x.alerts[0].text == "step `a` could not be undone and is still in place: no answer by its complete-by");
}

TEST_CASE("a step that is used up while others run stops them where the workflow asks for a person") {
  auto d = two_steps();
  d.steps[0].threshold = 1;
  d.steps[0].cool_off.count = 0;
  d.steps[0].exhausted = on_exhausted::error;
  d.steps[1].after = std::vector<std::string>{};
  d.steps[1].complete_by = 60s;
  scenario x{d};
  x.take();
  x.expire_round("a");
  CHECK(x.state() == "error");
  CHECK(x.state("b") == "unknown");
  CHECK(x.at("b").settles_at == x.at("b").complete_by + d.grace);
  CHECK(x.commands() == texts{"stop 1 attempt 1", "let go"});
  CHECK(next_due(x.t, x.d) == never);
}

TEST_CASE("a passed deadline turns the task round, whoever has it") {
  auto d = two_steps();
  d.deadline = 10min;
  SECTION("nobody") {
    scenario x{d};
    CHECK(x.raise(deadline_passed{}) == event_status::ignored);
    x.now = x.t.complete_by - d.undo_reserve;
    x.must(deadline_passed{});
    CHECK(x.state() == "undone");
    CHECK(x.raise(deadline_passed{}) == event_status::ignored);
  }
  SECTION("a scheduler, with an attempt under way") {
    d.steps[0].complete_by = 20min;
    d.steps[1].after = std::vector<std::string>{};
    scenario x{d};
    x.take();
    x.succeed("b");
    x.now = x.t.complete_by - d.undo_reserve;
    x.must(deadline_passed{});
    CHECK(x.state() == "undoing");
    CHECK(x.t.locked_by == "s1");
    CHECK(x.commands() == texts{"stop 0 attempt 1"});
  }
  SECTION("a scheduler that waits") {
    scenario x{d};
    x.take();
    x.succeed("a");
    x.must(attempt_failed{x.ref("b"), false, false, 15min, "busy"});
    x.now = x.t.complete_by - d.undo_reserve;
    x.must(deadline_passed{});
    CHECK(x.state() == "undoing");
    CHECK(x.t.locked_by.empty());
  }
}

TEST_CASE("a released lock makes the task pending, a lapsed one counts a takeover") {
  scenario x{two_steps()};
  CHECK(x.raise(lock_released{}) == event_status::ignored);
  CHECK(x.raise(lock_lapsed{}) == event_status::ignored);
  x.take();
  x.must(lock_released{});
  CHECK(x.state() == "pending");
  CHECK(x.t.takeovers == 0);
  CHECK(x.t.not_before == unset);
  CHECK(x.state("a") == "running"); // still under way; the next scheduler orders it again
  x.take("s2");
  CHECK(x.commands() == texts{"dispatch 0 attempt 1", "expire 0 attempt 1 at 30000 ms"});
  CHECK(x.at("a").log.back().epoch == 2);
  x.must(lock_lapsed{});
  CHECK(x.t.takeovers == 1);
  x.take("s3");
  x.succeed("a");
  CHECK(x.t.takeovers == 0);
}

TEST_CASE("a released task waits in the queue as long as its steps wait") {
  scenario x{two_steps()};
  x.take();
  x.must(attempt_failed{x.ref("a"), false, false, 5min, "busy"});
  x.must(lock_released{});
  CHECK(x.t.not_before == x.now + 5min);
  CHECK(x.raise(taken{"s2"}) == event_status::refused);
}

TEST_CASE("row 76: a task that loses its scheduler too often without progress is set aside with an alert") {
  auto d = two_steps();
  d.takeovers_max = 2;
  scenario x{d};
  for (int i = 0; i < 3; ++i) {
    x.take();
    x.must(lock_lapsed{});
  }
  x.must(taken{"s1"});
  CHECK(x.state() == "error");
  REQUIRE(x.alerts.size() == 1);
  CHECK(x.alerts[0].kind == "set_aside");
  CHECK(x.state("a") == "unknown");
  // A person's retry gives it as many chances as before.
  x.must(step_retried{0, false, {"ann", ""}});
  x.take();
  CHECK(x.state() == "processing");
}

TEST_CASE("a long wait for an agent raises one alert, and not before its time") {
  scenario x{two_steps()};
  x.take();
  CHECK(x.raise(wait_noticed{0}) == event_status::ignored);
  CHECK(x.raise(wait_noticed{2}) == event_status::refused);
  x.decline("a");
  CHECK(x.raise(wait_noticed{0}) == event_status::ignored);
  CHECK(x.last.reason == "it has not waited long");
  x.now += x.d.alert_after;
  CHECK(review(x.t, x.d, x.now, 1h).size() == 1);
  x.must(wait_noticed{0});
  REQUIRE(x.alerts.size() == 1);
  CHECK(x.alerts[0] == alert{"waiting", "step `a` waits because no agent takes it: no agent", "a", x.now});
  CHECK(x.raise(wait_noticed{0}) == event_status::ignored);
  CHECK(review(x.t, x.d, x.now, 1h).empty());
}

TEST_CASE("P17: a wait that ends in the decision which notices it is not told of, for nobody would close that") {
  scenario x{two_steps()};
  for (auto& s : x.d.steps)
    s.after.emplace();
  x.d.steps[1].retry.attempts = x.d.steps[1].threshold = 1;
  x.d.steps[1].cool_off.count = 0;
  x.d.alert_after = 1s;
  x.take();
  x.decline("a");
  x.now = x.at("b").complete_by;
  const auto decided = apply_review(x.t, x.d, x.now, 1h);
  REQUIRE(decided.next.state == process_state::undoing);
  CHECK(std::none_of(decided.alerts.begin(), decided.alerts.end(), [](const alert& a) { return a.kind == "waiting"; }));
}
