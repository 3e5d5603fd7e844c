#include "tests/support/workflow/scenario.hpp"

#include "workflow/task/explain.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

std::vector<std::string> told(const scenario& x) {
  std::vector<std::string> texts;
  for (const auto& e : explain(x.t, x.d, x.now))
    texts.push_back(e.text);
  return texts;
}

/// The explanation that begins so. Fails the test if there is none.
explanation told_of(const scenario& x, const std::string& begin) {
  const auto all = explain(x.t, x.d, x.now);
  const auto found =
    std::find_if(all.begin(), all.end(), [&](const explanation& e) { return e.text.starts_with(begin); });
  INFO("asked for: " << begin << "; told: " << Catch::StringMaker<std::vector<std::string>>::convert(told(x)));
  REQUIRE(found != all.end());
  return *found;
}

by kim() {
  return {"kim", "a test"};
}

} // namespace

TEST_CASE("explain: a pending task waits for a scheduler, and until when it goes forward") {
  const scenario x{two_steps()};
  CHECK(told_of(x, "pending: in the queue with priority").at == unset);
  CHECK(told_of(x, "limit: ").at == x.t.complete_by - x.d.undo_reserve);
}

TEST_CASE("explain: a task that has not begun because of its key waits for a place of it, and not only a scheduler") {
  scenario x{two_steps()};
  const std::string room = "pending: in the queue with priority 5, until a scheduler has room for it";
  CHECK(told_of(x, "pending: ").text == room);
  x.d.limit = limit_rule{"/customer", 1};
  x.t.limit.change().key = "ada";
  CHECK(told_of(x, "pending: ").text
        == "pending: in the queue with priority 5, until its key has a place for it and a scheduler has room for it");
  x.t.limit.change().is_under_way = true; // it goes on after a wait
  CHECK(told_of(x, "pending: ").text == room);
}

TEST_CASE("explain: an attempt under way, and when it must answer") {
  scenario x{two_steps()};
  x.take();
  CHECK(told(x).front() == "processing: by scheduler `s1`");
  CHECK(told_of(x, "running: step `a`, attempt 1 must answer by").at == x.at("a").complete_by);
  x.now = x.at("a").complete_by;
  CHECK(told_of(x, "running: step `a`, attempt 1 is overdue").at == x.at("a").complete_by);
}

TEST_CASE("explain: a wait between attempts names the failure, the attempt and the moment") {
  scenario x{two_steps()};
  x.take();
  x.fail("a");
  const auto waiting = told_of(x, "waiting: step `a`");
  CHECK(waiting.text.find("; attempt 2 of " + std::to_string(x.d.steps[0].retry.attempts) + " at")
        != std::string::npos);
  CHECK(waiting.text.find("last failure: " + x.at("a").error) != std::string::npos);
  CHECK(waiting.at == x.at("a").not_before);
}

TEST_CASE("explain: a step that no agent takes") {
  scenario x{two_steps()};
  x.take();
  x.decline("a");
  CHECK(told_of(x, "waiting: no agent takes step `a`").at == x.at("a").not_before);
}

TEST_CASE("explain: a step that was sent and may have acted") {
  scenario x{two_steps()};
  x.take();
  x.fail("a", true);
  x.now = x.at("a").not_before;
  CHECK(told_of(x, "unknown: step `a` was sent and nobody knows whether it acted").at == unset);
}

TEST_CASE("explain: a round of attempts that is used up waits for the supervisor") {
  scenario x{two_steps()};
  x.take();
  for (std::uint32_t i = 0; i < x.d.steps[0].retry.attempts; ++i) {
    if (i > 0)
      x.wait();
    x.fail("a");
  }
  told_of(x, "failed: step `a` has used up its round of attempts");
}

TEST_CASE("explain: an undo names its cause, its order and what it waits for") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  REQUIRE(x.state() == "undoing");
  CHECK(told_of(x, "undoing: what happened is being reversed (").text.find("`b`") != std::string::npos);
  CHECK(told_of(x, "undoing: step `a`").at == x.at("a").complete_by);
  CHECK(told_of(x, "limit: its deadline, which an undo may pass").at == x.t.complete_by);
  x.succeed("a");
  REQUIRE(x.state() == "undone");
  const auto end = explain(x.t, x.d, x.now);
  REQUIRE(end.size() == 1);
  CHECK(end[0].text.starts_with("undone: what happened was reversed ("));
  CHECK(end[0].at == x.t.ended_at);
}

TEST_CASE("explain: the undo of an earlier step waits for the undo of a later one") {
  scenario x{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.fail_for_good("c");
  told_of(x, "waiting: the undo of step `a` comes after the undo of later steps");
}

TEST_CASE("explain: of many steps that wait for the same the first are told, and how many more there are") {
  definition d = pipeline({step_named("s0")});
  for (int i = 1; i < 40; ++i)
    d.steps.push_back(step_named("s" + std::to_string(i)));
  d.steps.back().compensation.reset();
  scenario x{d};
  x.take();
  for (int i = 0; i < 39; ++i)
    x.succeed("s" + std::to_string(i));
  x.fail_for_good("s39");
  REQUIRE(x.state() == "undoing");
  const auto all = told(x);
  const auto waiting =
    std::count_if(all.begin(), all.end(), [](const auto& text) { return text.starts_with("waiting:"); });
  CHECK(waiting == explained_alike_max);
  told_of(x, "waiting: the undo of step `s18` comes after");
  told_of(x, "waiting: and 19 more steps");
  told_of(x, "undoing: step `s38`");
}

TEST_CASE("explain: an error says what failed, what is still in place and what a person can do") {
  auto d = two_steps();
  ask_a_person_at_once(d.steps[1]);
  scenario x{d};
  x.take();
  x.succeed("a");
  x.fail("b", true);
  x.supervise();
  REQUIRE(x.state() == "error");
  CHECK(told_of(x, "error: a person is needed: ").at == x.t.ended_at);
  CHECK(told_of(x, "steps: `b` is unknown").at == unset);
  told_of(x, "in place: step `a` happened");
  CHECK(told_of(x, "next: nothing by itself").text.find("task retry") != std::string::npos);
}

TEST_CASE("explain: a failed undo names what is in place, who refused, why it was undone, and the cure") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  d.steps[0].compensation.reset();
  scenario x{d};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.now = forward_ends_at(x.t, x.d);
  x.supervise();
  REQUIRE(x.at("c").doing == attempt_action::compensate); // it may have happened
  x.succeed("c");
  x.fail_for_good("b");
  REQUIRE(x.state() == "error");
  CHECK(told_of(x, "error: a person is needed: the undo of `b` failed").at == x.t.ended_at);
  told_of(x, "in place: step `a` happened, or may have, and has no compensation");
  told_of(x, "in place: step `b` happened, or may have, and its undo by agent `svc-undo` failed: not allowed");
  told_of(x, "why it was undone: its deadline passed before the work was done");
  CHECK(told_of(x, "time: step `c` took the longest; its first attempt began at").at == x.t.steps[2].log[0].started_at);
  CHECK(told_of(x, "time: its last attempt ended at").at == x.t.steps[2].log[0].ended_at);
  const auto cure = told_of(x, "next: nothing by itself").text;
  CHECK(cure.find("`task undo`") != std::string::npos);
  CHECK(cure.find("`task skip --step NAME`") != std::string::npos);
  CHECK(first_in_trouble(x.t) == 1);
}

TEST_CASE("explain: where the last attempt was met by silence, what the service said before is told too") {
  scenario x{two_steps()};
  x.take();
  x.fail("a");
  const auto said = x.at("a").error;
  x.wait();
  x.expire("a");
  CHECK(failure_told(x.at("a")) == "no answer by its complete-by; before that: " + said);
  x.supervise();
  x.wait();
  x.fail("a");
  CHECK(failure_told(x.at("a")) == said);
}

TEST_CASE("explain: an undone task tells what no undo reversed") {
  auto d = two_steps();
  d.steps[0].compensation.reset();
  scenario x{d};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  REQUIRE(x.state() == "undone");
  told_of(x, "undone: what happened was reversed");
  told_of(x, "in place: step `a` happened, or may have, and has no compensation");
}

TEST_CASE("explain: a suspended task says who, why and since when, and how it goes on") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.must(suspended{kim()});
  const auto who = told_of(x, "suspended by kim (a test): nothing new is started; since");
  CHECK(who.at == x.now);
  CHECK(told_of(x, "next: `task resume` continues the task").at == unset);
  told_of(x, "limit: if it is not done by then, what happened is undone when it is resumed; forward work ends at");
  x.now += x.d.deadline;
  told_of(x, "overdue: the task's time for forward work is used up; what happened is undone when it is resumed");
}

TEST_CASE("explain: the end of a task that went well") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.succeed("b");
  CHECK(told(x) == std::vector<std::string>{"processed: every step completed or was skipped; ended at"});
}

TEST_CASE("explain: a task that a schedule made says so, by its id") {
  scenario x{two_steps()};
  x.t.id = "nightly@2026-11-26T02:30:00Z";
  CHECK(told_of(x, "by its id, schedule `nightly` made it, for the moment at").at
        == instant{std::chrono::milliseconds{1'795'660'200'000}});
}

TEST_CASE("the step in trouble is the first that failed, waits or needs a look") {
  scenario x{two_steps()};
  CHECK(first_in_trouble(x.t) == std::nullopt);
  x.take();
  CHECK(first_in_trouble(x.t) == std::nullopt);
  x.succeed("a");
  x.fail("b");
  CHECK(first_in_trouble(x.t) == x.number("b"));
}
