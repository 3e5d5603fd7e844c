// Steps that wait instead of having an agent carry them out.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/waiting.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

const by bea{"bea", "so"};

/// `nap` between two steps of an agent.
definition with_nap(step_definition nap) {
  return pipeline({step_named("a"), std::move(nap), step_named("b")});
}

definition napping() {
  return with_nap(sleep_named("nap", 2h));
}

scenario asleep(definition d = napping()) {
  scenario s{std::move(d)};
  s.take();
  s.succeed("a");
  return s;
}

source of_payload(std::string pointer) {
  source at;
  at.pointer = std::move(pointer);
  return at;
}

scenario with_payload(step_definition nap, std::string payload) {
  scenario s{with_nap(std::move(nap))};
  s.t.payload = blob{std::move(payload)};
  s.take();
  s.succeed("a");
  return s;
}

std::string all_of(const std::vector<explanation>& sentences) {
  std::string all;
  for (const auto& e : sentences)
    all += e.text + "\n";
  return all;
}

} // namespace

TEST_CASE("a sleeping step gives its task back until it is over, and then is completed") {
  auto s = asleep();
  CHECK(s.state("nap") == "waiting");
  CHECK(s.state() == "pending");
  CHECK(s.t.locked_by.empty());
  CHECK(s.t.not_before == start + 2h);
  CHECK(s.commands() == std::vector<std::string>{"let go"});

  s.now += 2h - 1ms;
  CHECK(s.raise(taken{"s2"}) == event_status::refused);
  s.now += 1ms;
  s.take("s2");
  CHECK(s.state("nap") == "completed");
  CHECK(s.at("nap").completed_at == start + 2h);
  CHECK(s.state("b") == "running");
  s.succeed("b");
  CHECK(s.state() == "processed");
}

TEST_CASE("a sleep is in the story of its step, without an agent") {
  auto s = asleep();
  REQUIRE(s.at("nap").log.size() == 1);
  CHECK(s.at("nap").log.back().outcome == attempt_outcome::open);
  s.now += 3h;
  s.take();
  const auto& line = s.at("nap").log.back();
  CHECK(line.outcome == attempt_outcome::succeeded);
  CHECK(line.agent.empty());
  CHECK(line.started_at == start);
  CHECK(line.ended_at == start + 3h);
}

TEST_CASE("while something else goes on, its scheduler keeps the task of a sleeping step and wakes it in time") {
  auto d = napping();
  d.steps[2].after = {"a"};
  auto s = asleep(d);
  CHECK(s.state("nap") == "waiting");
  CHECK(s.state("b") == "running");
  CHECK(s.state() == "processing");
  CHECK_THAT(s.commands(), Catch::VectorContains(std::string{"wake 1 at 7200000 ms"}));
  s.succeed("b");
  CHECK(s.t.locked_by.empty());
  CHECK(s.t.not_before == start + 2h);
}

TEST_CASE("a task whose sleep is over while its scheduler has it goes on at once") {
  auto d = napping();
  d.steps[2].after = {"a"};
  d.steps[1].wait->length = 5s;
  d.steps.push_back(step_named("c"));
  d.steps.back().after = {"nap"};
  auto s = asleep(d);
  s.wait();
  CHECK(s.state("nap") == "completed");
  CHECK(s.state("c") == "running");
}

TEST_CASE("several sleeps in a row may be over at once") {
  auto s = asleep(pipeline({step_named("a"), sleep_named("x", 1h), sleep_named("y", 1h), step_named("b")}));
  s.now += 5h;
  s.take();
  CHECK(s.state("x") == "completed");
  CHECK(s.state("y") == "waiting");
  CHECK(s.t.not_before == s.now + 1h);
  auto past = with_payload(until_named("x", of_payload("/at")), R"({"at":"2001-01-01T00:00Z"})");
  CHECK(past.state("x") == "completed");
  CHECK(past.state("b") == "running");
}

TEST_CASE("a task of sleeps alone is processed") {
  scenario s{pipeline({sleep_named("x", 1s)})};
  s.take();
  s.now += 1s;
  s.take();
  CHECK(s.state() == "processed");
  CHECK(left_in_place(s.t, s.d).empty());
}

TEST_CASE("a step waits until the moment in the payload") {
  // start is 2023-11-14T22:13:20Z
  auto s = with_payload(until_named("nap", of_payload("/at")), R"({"at":"2023-11-15T09:00:00+01:00"})");
  CHECK(s.state("nap") == "waiting");
  CHECK(s.t.not_before == start + 9h + 46min + 40s);
}

TEST_CASE("a step waits until the moment in a result") {
  source at;
  at.from = source::kind::result;
  at.step = "a";
  at.pointer = "/at";
  scenario s{with_nap(until_named("nap", at))};
  CHECK(pointers_asked(s.d, 0) == std::vector<std::string>{"/at"});
  s.take();
  s.must(attempt_succeeded{s.ref("a"), blob{"{}"}, {{"/at", R"("2023-11-14T23:13:20Z")"}}});
  CHECK(s.t.not_before == start + 1h);
}

TEST_CASE("a step whose moment makes no sense, or comes too late, fails for good and says why") {
  const auto why = [](std::string payload) {
    auto s = with_payload(until_named("nap", of_payload("/at")), std::move(payload));
    CHECK(s.state("nap") == "failed");
    CHECK(s.state() == "undoing");
    CHECK(s.state("a") == "compensating");
    return s.t.cause;
  };
  CHECK(
    why(R"({"at":"soon"})")
    == "step `nap` failed for good: payload:/at is \"soon\", and not a moment such as \"2026-12-24T18:00:00+01:00\"");
  CHECK(why(R"({"n":1})") == "step `nap` failed for good: payload:/at has no value");
  CHECK(why(R"({"at":"2024-01-01T00:00Z"})")
        == "step `nap` failed for good: it would wait until 2024-01-01T00:00:00.000Z, and forward work ends at "
           "2023-11-15T22:12:20.000Z");
}

TEST_CASE("where the payload was not read, a wait that goes by it does not begin") {
  scenario s{with_nap(until_named("nap", of_payload("/at")))};
  s.take();
  s.t.payload = {};
  s.succeed("a");
  CHECK(s.state("nap") == "not_started");
  CHECK(s.state() == "processing");
}

TEST_CASE("an undo ends a sleep at once and undoes what came before it") {
  auto s = asleep();
  s.now += 1min;
  s.must(cancelled{bea});
  CHECK(s.state("nap") == "not_started");
  CHECK(s.at("nap").log.back().outcome == attempt_outcome::stopped);
  CHECK(s.t.not_before == unset);
  s.take();
  CHECK(s.state("a") == "compensating");
  s.succeed("a");
  CHECK(s.state() == "undone");
}

TEST_CASE("a sleep that has ended is nothing to undo, and nothing that is left in place") {
  auto s = asleep();
  s.now += 2h;
  s.take();
  s.fail_for_good("b");
  CHECK(s.state("a") == "compensating");
  CHECK(left_in_place(s.t, s.d).empty());
  s.succeed("a");
  CHECK(s.state() == "undone");
}

TEST_CASE("a sleeping task is undone when its deadline passes") {
  auto s = asleep();
  s.now = forward_ends_at(s.t, s.d);
  s.supervise();
  CHECK(s.state() == "undoing");
  CHECK(s.state("nap") == "not_started");
}

TEST_CASE("a task that goes to error during a sleep begins that again when a person retries it") {
  auto d = napping();
  d.steps[2].after = {"a"};
  ask_a_person_at_once(d.steps[2]);
  auto s = asleep(d);
  s.fail("b");
  s.supervise();
  CHECK(s.state() == "error");
  CHECK(s.state("nap") == "not_started");
  s.now += 1h;
  s.must(step_retried{2, false, bea});
  s.take();
  CHECK(s.state("nap") == "waiting");
  CHECK(s.at("nap").not_before == s.now + 2h);
}

TEST_CASE("a person wakes a sleeping step by retrying it") {
  auto s = asleep();
  s.now += 1min;
  s.must(step_retried{1, false, bea});
  CHECK(is_claimable(s.t));
  CHECK(s.t.not_before == unset);
  s.take();
  CHECK(s.state("nap") == "completed");
  CHECK(s.at("nap").log.back().note == "woken by a person");
  CHECK(s.state("b") == "running");
}

TEST_CASE("a person skips a sleeping step, and its task goes on") {
  auto s = asleep();
  s.must(step_skipped{1, blob{}, {}, bea});
  CHECK(s.state("nap") == "skipped");
  CHECK(s.at("nap").log.back().outcome == attempt_outcome::stopped);
  s.take();
  CHECK(s.state("b") == "running");
}

TEST_CASE("a suspended task sleeps on") {
  auto s = asleep();
  s.must(suspended{bea});
  s.now += 1h;
  s.must(resumed{bea});
  CHECK(s.state("nap") == "waiting");
  CHECK(s.t.not_before == start + 2h);
  s.now += 1h;
  s.take();
  CHECK(s.state("b") == "running");
}

TEST_CASE("what a person skips while its task is suspended is waited for no more when that resumes") {
  auto s = asleep();
  s.must(suspended{bea});
  s.must(step_skipped{1, blob{}, {}, bea});
  s.must(resumed{bea});
  CHECK(s.t.not_before == unset);
  s.take();
  CHECK(s.state("b") == "running");
}

TEST_CASE("people are told that a task sleeps, and until when") {
  auto s = asleep();
  const auto told = explain(s.t, s.d, s.now);
  const auto sleeps =
    std::find_if(told.begin(), told.end(), [](const auto& e) { return e.text.starts_with("sleeping"); });
  REQUIRE(sleeps != told.end());
  CHECK(sleeps->text == "sleeping: step `nap` until");
  CHECK(sleeps->at == start + 2h);
  CHECK(all_of(told).find("no agent") == std::string::npos);
  CHECK(wait_of(s.t, s.d, s.now)->cause == "step `nap`: sleeps");
  CHECK_FALSE(first_in_trouble(s.t));
}
