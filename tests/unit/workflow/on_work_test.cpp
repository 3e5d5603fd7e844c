// What a scheduler and its agents may do to a task.
#include "tests/support/scenario.hpp"

#include "workflow/review.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

TEST_CASE("row 16: of two schedulers that take one task, the second is refused") {
  scenario x{two_steps()};
  const task pending = x.t;
  x.take("s1");
  CHECK(x.state() == "processing");
  CHECK(x.t.locked_by == "s1");
  CHECK(x.t.lock_epoch == 1);
  CHECK(x.raise(taken{"s2"}) == verdict::refused);
  CHECK(x.last.reason == "it is locked by `s1`");
  CHECK(x.t.locked_by == "s1");
  // Both read the same pending task: their changes carry the same epoch, so the store can let only one of them in.
  const auto other = apply(pending, x.d, taken{"s2"}, x.now);
  CHECK(other.next.lock_epoch == x.t.lock_epoch);
  CHECK(other.next != x.t);
}

TEST_CASE("row 16: an answer to the scheduler that lost the lock is refused and kept") {
  scenario x{two_steps()};
  x.take("s1");
  const auto ordered_by_s1 = x.ref("a");
  x.must(lock_lapsed{});
  CHECK(x.raise(attempt_succeeded{ordered_by_s1, {}, {}}) == verdict::refused);
  x.take("s2");
  CHECK(x.t.lock_epoch == 2);
  CHECK(x.raise(attempt_succeeded{ordered_by_s1, {}, {}}) == verdict::refused);
  CHECK(x.last.reason == "it was ordered under an older lock");
  REQUIRE(x.last.evidence.has_value());
  CHECK(x.last.evidence->epoch == 1);
  x.succeed("a"); // the same attempt, ordered again under the new lock
  CHECK(x.state("a") == "completed");
}

TEST_CASE("a task is not taken without a name, before its time, or once it has ended") {
  scenario x{two_steps()};
  CHECK(x.raise(taken{""}) == verdict::refused);
  CHECK(x.last.reason == "no scheduler is named");
  x.t.not_before = x.now + 1s;
  CHECK(x.raise(taken{"s1"}) == verdict::refused);
  CHECK(x.last.reason == "it must not start yet");
  x.now += 1s;
  x.take();
  x.succeed("a");
  x.succeed("b");
  CHECK(x.raise(taken{"s1"}) == verdict::refused);
  CHECK(x.last.reason == "it is processed");
}

TEST_CASE("a step is recorded as running with its complete-by before it is ordered") {
  scenario x{two_steps()};
  x.take();
  CHECK(x.state("a") == "running");
  CHECK(x.at("a").complete_by == x.now + 30s);
  CHECK(x.commands() == texts{"dispatch 0 attempt 1", "expire 0 attempt 1 at 30000 ms"});
  REQUIRE(x.at("a").log.size() == 1);
  CHECK(x.at("a").log[0].agent == "svc");
  CHECK(x.at("a").log[0].epoch == 1);
  CHECK(x.state("b") == "not_started");
}

TEST_CASE("one write finishes a step and starts the next; the last one ends the task") {
  scenario x{two_steps()};
  x.take();
  x.now += 1s;
  x.succeed("a", R"({"x":1})");
  CHECK(x.state("a") == "completed");
  CHECK(x.at("a").result.view() == R"({"x":1})");
  CHECK(x.at("a").completed_order == 1);
  CHECK(x.at("a").completed_at == x.now);
  CHECK(x.commands() == texts{"dispatch 1 attempt 1", "expire 1 attempt 1 at 31000 ms"});
  x.succeed("b");
  CHECK(x.at("b").completed_order == 2);
  CHECK(x.state() == "processed");
  CHECK(x.t.ended_at == x.now);
  CHECK(x.commands() == texts{"let go"});
  std::vector<notice_kind> kinds;
  std::vector<std::uint32_t> numbers;
  for (const auto& n : x.notices) {
    kinds.push_back(n.kind);
    numbers.push_back(n.sequence);
  }
  using enum notice_kind;
  CHECK(kinds == std::vector{step_started, step_completed, step_started, step_completed, processed});
  CHECK(numbers == std::vector<std::uint32_t>{2, 3, 4, 5, 6}); // 1 is `accepted`
}

TEST_CASE("nobody is told of a task without an observer") {
  scenario x{two_steps()};
  x.t.reply_to.clear();
  x.take();
  x.succeed("a");
  CHECK(x.notices.empty());
}

TEST_CASE("steps of a graph run side by side, and join") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  d.steps[1].after = std::vector<std::string>{};
  d.steps[2].after = std::vector<std::string>{"a", "b"};
  scenario x{d};
  x.take();
  CHECK(x.state("a") == "running");
  CHECK(x.state("b") == "running");
  x.succeed("b");
  CHECK(x.state("c") == "not_started");
  x.succeed("a");
  CHECK(x.state("c") == "running");
  CHECK(x.at("a").completed_order == 2);
}

TEST_CASE("a step whose condition does not hold is skipped, and so are those that depend on its facts") {
  const auto skipped = [](condition::test is, std::string literal, const std::vector<fact>& facts) {
    auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
    d.steps[1].when = condition{"a", "/x", is, std::move(literal)};
    d.steps[2].when = condition{"b", "", condition::test::present, ""};
    scenario x{d};
    x.take();
    x.must(attempt_succeeded{x.ref("a"), {}, facts});
    if (x.state("b") == "skipped")
      CHECK(x.state() == "processed"); // c is skipped with it
    return x.state("b") == "skipped";
  };
  using enum condition::test;
  const std::vector<fact> one{{"/y", "2"}, {"/x", "1"}};
  const std::vector<fact> none{{"/y", "1"}};
  CHECK_FALSE(skipped(equals, "1", one));
  CHECK(skipped(equals, "2", one));
  CHECK(skipped(equals, "1", none));
  CHECK_FALSE(skipped(differs, "2", one));
  CHECK(skipped(differs, "1", one));
  CHECK(skipped(differs, "1", none));
  CHECK_FALSE(skipped(present, "", one));
  CHECK(skipped(present, "", none));
  CHECK_FALSE(skipped(absent, "", none));
  CHECK(skipped(absent, "", one));
}

TEST_CASE("row 24: an answer that arrives after complete-by has no effect and is kept as evidence") {
  scenario x{two_steps()};
  x.take();
  x.now = x.at("a").complete_by + 1ms;
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{x.ref("a"), blob{"{}"}, {}}) == verdict::refused);
  CHECK(x.t == before);
  REQUIRE(x.last.evidence.has_value());
  CHECK(*x.last.evidence
        == late_reply{"a", 1, 1, "attempt_succeeded", "its complete-by has passed", x.now});
  CHECK(x.last.commands.empty());
}

TEST_CASE("row 25: an answer at complete-by to the tick is refused, one tick earlier it counts") {
  scenario x{two_steps()};
  x.take();
  x.now = x.at("a").complete_by;
  CHECK(x.raise(attempt_succeeded{x.ref("a"), {}, {}}) == verdict::refused);
  x.now -= 1ms;
  CHECK(x.raise(attempt_expired{x.ref("a")}) == verdict::ignored);
  CHECK(x.raise(attempt_succeeded{x.ref("a"), {}, {}}) == verdict::applied);
}

TEST_CASE("row 26: the second of two equal answers is refused") {
  scenario x{two_steps()};
  x.take();
  const auto ref = x.ref("a");
  x.must(attempt_succeeded{ref, blob{"1"}, {}});
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{ref, blob{"2"}, {}}) == verdict::refused);
  CHECK(x.last.reason == "the attempt is over");
  CHECK(x.last.evidence.has_value());
  CHECK(x.t == before);
}

TEST_CASE("row 27: an answer of attempt 1 has no effect while attempt 2 runs, and attempt 2 decides") {
  scenario x{two_steps()};
  x.take();
  const auto first = x.ref("a");
  x.expire_round("a");
  x.wait();
  CHECK(x.at("a").attempt == 2);
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{first, {}, {}}) == verdict::refused);
  CHECK(x.last.reason == "attempt 2 is the current one");
  CHECK(x.last.evidence.has_value());
  CHECK(x.t == before);
  x.succeed("a");
  CHECK(x.state("a") == "completed");
}

TEST_CASE("row 28: the success of an ended attempt after undo began has no effect, and undo covers the step") {
  scenario x{two_steps()};
  x.take();
  const auto first = x.ref("a");
  x.expire("a");
  x.must(undo_requested{{"ann", ""}});
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{{first.step, first.attempt, x.t.lock_epoch}, {}, {}}) == verdict::refused);
  CHECK(x.last.evidence.has_value());
  CHECK(x.t == before);
  x.wait(); // for the grace
  CHECK(x.state("a") == "compensating");
  x.succeed("a");
  CHECK(x.state("a") == "compensated");
  CHECK(x.state() == "undone");
}

TEST_CASE("row 28: the success of an attempt that undo wanted to stop is recorded, and then undone") {
  scenario x{two_steps()};
  x.take();
  x.must(cancelled{{"ann", ""}});
  CHECK(x.state() == "undoing");
  CHECK(x.state("a") == "running");
  CHECK(x.commands() == texts{"stop 0 attempt 1"});
  x.succeed("a");
  CHECK(x.state("a") == "compensating");
  CHECK(x.commands() == texts{"dispatch 0 attempt 2", "expire 0 attempt 2 at 30000 ms"});
}

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
  d.steps[1].retry.attempts = 1;
  d.steps[1].threshold = 1;
  d.steps[1].cool_off.count = 0;
  d.steps[1].exhausted = on_exhausted::error;
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
  SECTION("silence is no answer: it is undone once the probe's time is over") {
    x.expire("a");
    x.wait();
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
  SECTION("a probe that was stopped is no answer") {
    x.must(attempt_stopped{x.ref("a"), true});
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
}

TEST_CASE("a denial that answers no probe is refused and kept") {
  scenario x{two_steps()};
  x.take();
  CHECK(x.raise(probe_denied{x.ref("a")}) == verdict::refused);
  CHECK(x.last.reason == "the attempt is not a probe");
  CHECK(x.last.evidence.has_value());
  CHECK(x.raise(probe_denied{{0, 9, 1}}) == verdict::refused);
}

TEST_CASE("answers for a step that does not exist are refused and kept") {
  scenario x{two_steps()};
  x.take();
  for (const event& e : {event{attempt_succeeded{{2, 1, 1}, {}, {}}}, event{attempt_failed{{9, 1, 1}, false, true, {}, ""}},
                         event{attempt_declined{{2, 1, 1}, {}, ""}}, event{attempt_stopped{{2, 1, 1}, true}},
                         event{probe_denied{{2, 1, 1}}}}) {
    CHECK(x.raise(e) == verdict::refused);
    REQUIRE(x.last.evidence.has_value());
    CHECK(x.last.evidence->step == "?");
  }
  CHECK(x.raise(attempt_expired{{2, 1, 1}}) == verdict::refused);
  CHECK_FALSE(x.last.evidence.has_value());
}

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
        == "undo failed, still in place: `b`; it was undone because step `c` failed for good: not allowed");
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
  CHECK(x.raise(time_passed{}) == verdict::ignored);
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

TEST_CASE("time that passes with nothing due changes nothing") {
  scenario x{two_steps()};
  CHECK(x.raise(time_passed{}) == verdict::ignored);
  x.take();
  CHECK(x.raise(time_passed{}) == verdict::ignored);
  CHECK(x.last.reason == "nothing is due");
}

TEST_CASE("an expired attempt ends a row of refusals") {
  scenario x{two_steps()};
  x.take();
  x.decline("a");
  x.wait();
  x.expire("a");
  CHECK(x.at("a").waiting_since == unset);
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

TEST_CASE("the story of a step keeps its newest attempts") {
  auto d = pipeline({step_named("a")});
  d.steps[0].retry.attempts = 100;
  d.steps[0].retry.cap = 1s;
  scenario x{d};
  x.take();
  for (int i = 0; i < 40; ++i) {
    x.fail("a");
    x.wait();
  }
  CHECK(x.at("a").log.size() == attempts_logged_max);
  CHECK(x.at("a").log.back().number == 41);
  CHECK(x.at("a").log_dropped == 9);
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
