// What a scheduler and its agents may do to a task.
#include "tests/support/workflow/scenario.hpp"

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
  CHECK(x.raise(taken{"s2"}) == event_status::refused);
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
  CHECK(x.raise(attempt_succeeded{ordered_by_s1, {}, {}}) == event_status::refused);
  x.take("s2");
  CHECK(x.t.lock_epoch == 2);
  CHECK(x.raise(attempt_succeeded{ordered_by_s1, {}, {}}) == event_status::refused);
  CHECK(x.last.reason == "it was ordered under an older lock");
  REQUIRE(x.last.evidence.has_value());
  CHECK(x.last.evidence->epoch == 1);
  x.succeed("a"); // the same attempt, ordered again under the new lock
  CHECK(x.state("a") == "completed");
}

TEST_CASE("a task is not taken without a name, before its time, or once it has ended") {
  scenario x{two_steps()};
  CHECK(x.raise(taken{""}) == event_status::refused);
  CHECK(x.last.reason == "no scheduler is named");
  x.t.not_before = x.now + 1s;
  CHECK(x.raise(taken{"s1"}) == event_status::refused);
  CHECK(x.last.reason == "it must not start yet");
  x.now += 1s;
  x.take();
  x.succeed("a");
  x.succeed("b");
  CHECK(x.raise(taken{"s1"}) == event_status::refused);
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

TEST_CASE("one write finishes a step and starts the next, the last one ends the task") {
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

TEST_CASE("conditions order numbers, and are made of conditions") {
  const auto holds = [](const condition& c, const std::string& payload = "{}") {
    auto d = pipeline({step_named("a"), step_named("b")});
    d.steps[1].when = c;
    scenario x{d};
    x.t.payload = blob{payload};
    x.take();
    x.must(attempt_succeeded{x.ref("a"), {}, {{"/x", "10"}, {"/text", "\"10\""}}});
    return x.state("b") == "running";
  };
  using enum condition::test;
  const auto of_x = [](condition::test is, std::string literal) {
    return condition{"a", "/x", is, std::move(literal)};
  };
  CHECK(holds(of_x(above, "9.99")));
  CHECK_FALSE(holds(of_x(above, "1e1")));
  CHECK(holds(of_x(at_least, "1e1")));
  CHECK_FALSE(holds(of_x(at_least, "11")));
  CHECK(holds(of_x(below, "100")));
  CHECK_FALSE(holds(of_x(below, "10")));
  CHECK(holds(of_x(at_most, "10.0")));
  CHECK_FALSE(holds(of_x(at_most, "-10")));
  for (const auto is : {above, at_least, below, at_most}) {
    CHECK_FALSE(holds({"a", "/text", is, "10"})); // is no number
    CHECK_FALSE(holds({"a", "/none", is, "10"}));
  }

  const auto made = [](condition::test is, std::vector<condition> parts) { return condition{{}, {}, is, {}, parts}; };
  const auto yes = of_x(equals, "10");
  const auto no = of_x(equals, "11");
  CHECK(holds(made(all, {yes, yes})));
  CHECK_FALSE(holds(made(all, {yes, no})));
  CHECK(holds(made(any, {no, yes})));
  CHECK_FALSE(holds(made(any, {no, no})));
  CHECK(holds(made(negated, {no})));
  CHECK_FALSE(holds(made(negated, {made(any, {no, yes})})));
  CHECK(holds(made(negated, {{"a", "/none", equals, "1"}})));

  const condition large{"payload", "/sum", above, "9007199254740993"};
  CHECK(holds(large, R"({"sum": 9007199254740994})")); // beyond what a double tells apart
  CHECK_FALSE(holds(large, R"({"sum": 9007199254740993})"));
  CHECK_FALSE(holds(large, "{}"));
  CHECK_FALSE(holds(large, "no JSON"));
}

TEST_CASE("row 24: an answer that arrives after complete-by has no effect and is kept as evidence") {
  scenario x{two_steps()};
  x.take();
  x.now = x.at("a").complete_by + 1ms;
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{x.ref("a"), blob{"{}"}, {}}) == event_status::refused);
  CHECK(x.t == before);
  REQUIRE(x.last.evidence.has_value());
  CHECK(*x.last.evidence == late_reply{"a", 1, 1, "attempt_succeeded", "its complete-by has passed", x.now});
  CHECK(x.last.commands.empty());
}

TEST_CASE("row 25: an answer at complete-by to the tick is refused, one tick earlier it counts") {
  scenario x{two_steps()};
  x.take();
  x.now = x.at("a").complete_by;
  CHECK(x.raise(attempt_succeeded{x.ref("a"), {}, {}}) == event_status::refused);
  x.now -= 1ms;
  CHECK(x.raise(attempt_expired{x.ref("a")}) == event_status::ignored);
  CHECK(x.raise(attempt_succeeded{x.ref("a"), {}, {}}) == event_status::applied);
}

TEST_CASE("row 26: the second of two equal answers is refused") {
  scenario x{two_steps()};
  x.take();
  const auto ref = x.ref("a");
  x.must(attempt_succeeded{ref, blob{"1"}, {}});
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{ref, blob{"2"}, {}}) == event_status::refused);
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
  CHECK(x.raise(attempt_succeeded{first, {}, {}}) == event_status::refused);
  CHECK(x.last.reason == "attempt 2 is the current one");
  CHECK(x.last.evidence.has_value());
  CHECK(x.t == before);
  x.succeed("a");
  CHECK(x.state("a") == "completed");
}

TEST_CASE("row 27: an answer of attempt 1 has no effect on attempt 2 under the same lock either") {
  scenario x{two_steps()};
  x.take();
  const auto first = x.ref("a");
  x.fail("a");
  x.wait();
  REQUIRE(x.ref("a").attempt == 2);
  REQUIRE(x.ref("a").epoch == first.epoch);
  CHECK(x.raise(attempt_succeeded{first, {}, {}}) == event_status::refused);
  CHECK(x.raise(attempt_failed{first, true, false, {}, "no"}) == event_status::refused);
  CHECK(x.state("a") == "running");
  CHECK(x.last.evidence.has_value());
}

TEST_CASE("row 28: the success of an ended attempt after undo began has no effect, and undo covers the step") {
  scenario x{two_steps()};
  x.take();
  const auto first = x.ref("a");
  x.expire("a");
  x.must(undo_requested{{"ann", ""}});
  const task before = x.t;
  CHECK(x.raise(attempt_succeeded{{first.step, first.attempt, x.t.lock_epoch}, {}, {}}) == event_status::refused);
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

TEST_CASE("a denial that answers no probe is refused and kept") {
  scenario x{two_steps()};
  x.take();
  CHECK(x.raise(probe_denied{x.ref("a")}) == event_status::refused);
  CHECK(x.last.reason == "the attempt is not a probe");
  CHECK(x.last.evidence.has_value());
  CHECK(x.raise(probe_denied{{0, 9, 1}}) == event_status::refused);
}

TEST_CASE("answers for a step that does not exist are refused and kept") {
  scenario x{two_steps()};
  x.take();
  for (const event& e :
       {event{attempt_succeeded{{2, 1, 1}, {}, {}}}, event{attempt_failed{{9, 1, 1}, false, true, {}, ""}},
        event{attempt_declined{{2, 1, 1}, {}, ""}}, event{attempt_stopped{{2, 1, 1}, true}},
        event{probe_denied{{2, 1, 1}}}}) {
    CHECK(x.raise(e) == event_status::refused);
    REQUIRE(x.last.evidence.has_value());
    CHECK(x.last.evidence->step == "?");
  }
  CHECK(x.raise(attempt_expired{{2, 1, 1}}) == event_status::refused);
  CHECK_FALSE(x.last.evidence.has_value());
}

TEST_CASE("time that passes with nothing due changes nothing") {
  scenario x{two_steps()};
  CHECK(x.raise(time_passed{}) == event_status::ignored);
  x.take();
  CHECK(x.raise(time_passed{}) == event_status::ignored);
  CHECK(x.last.reason == "nothing is due");
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

TEST_CASE("a scheduler that is about to stop starts nothing more, and gives the lock back once no attempt is open") {
  scenario x{two_steps()};
  x.take();
  const attempt_succeeded done{{0, x.at("a").attempt, x.t.lock_epoch}, blob{"{}"}, {}, false};
  CHECK(apply(x.t, x.d, done, x.now).next.steps[1].doing == attempt_action::perform);
  const auto last = apply(x.t, x.d, done, x.now, true).next;
  CHECK(last.steps[0].state == step_state::completed);
  CHECK(last.steps[1].doing == attempt_action::none);
  CHECK(last.locked_by.empty());
}
