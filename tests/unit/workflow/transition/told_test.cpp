// Steps that wait for an event, or for the answer of a person.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/waiting.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

const by dan{"dan", "a good customer"};

step_definition event_named(std::string name, std::string pointer) {
  step_definition s;
  s.name = std::move(name);
  s.wait.emplace();
  s.wait->what = wait_rule::kind::event;
  s.wait->name = "paid";
  s.wait->length = 3h;
  s.wait->at.pointer = std::move(pointer);
  return s;
}

step_definition question_named(std::string name) {
  step_definition s;
  s.name = std::move(name);
  s.wait.emplace();
  s.wait->what = wait_rule::kind::person;
  s.wait->name = "sales";
  s.wait->question = "Is the sum right?";
  s.wait->choices = {"yes", "no"};
  s.wait->length = 3h;
  s.wait->remind_every = 1h;
  return s;
}

scenario at_step(step_definition s, std::string payload = R"({"order":"o-1","n":7.10})") {
  scenario x{pipeline({step_named("a"), std::move(s), step_named("b")})};
  x.t.payload = blob{std::move(payload)};
  x.take();
  x.succeed("a");
  return x;
}

event_came came(std::uint64_t number) {
  return {1, number, blob{"{\"euros\":20}"}, {}, "the bank"};
}

std::string all_explained(const scenario& s) {
  std::string all;
  for (const auto& e : explain(s.t, s.d, s.now))
    all += e.text + "\n";
  return all;
}

} // namespace

TEST_CASE("a step waits for an event with its key, takes no place meanwhile, and has its data as its result") {
  auto s = at_step(event_named("pay", "/order"));
  CHECK(s.state("pay") == "waiting");
  CHECK(s.state() == "pending");
  CHECK(s.at("pay").wait->event_key == "o-1");
  CHECK(s.t.not_before == start + 3h);
  CHECK_THAT(all_explained(s),
             Catch::Contains("waiting: step `pay` for an event `paid` with the key `o-1`; it fails for good"));
  CHECK_THAT(all_explained(s), Catch::Contains("in the queue again when its wait ends, at the latest at"));
  CHECK(wait_of(s.t, s.d, s.now)->detail == "step `pay`: waits for an event");
  s.must(came(5));
  CHECK(s.state("pay") == "completed");
  CHECK(s.at("pay").result.view() == "{\"euros\":20}");
  CHECK(s.at("pay").log.back().note == "event 5 of the bank");
  CHECK(s.t.not_before == unset);
  s.take();
  CHECK(s.state("b") == "running");
}

TEST_CASE("a key is a text, or a number as it is written, and anything else fails the step for good") {
  CHECK(at_step(event_named("pay", "/n")).at("pay").wait->event_key == "7.10");
  auto s = at_step(event_named("pay", "/order"), R"({"order":{"a":1}})");
  CHECK(s.state("pay") == "failed");
  CHECK_THAT(s.t.cause, Catch::Contains("its key payload:/order is {\"a\":1}, and not a text or a number"));
  s = at_step(event_named("pay", "/order"), R"({"order":""})");
  CHECK_THAT(s.t.cause, Catch::Contains("its key payload:/order is empty")); // or it would take events without a key
}

TEST_CASE("each event is taken once by a task, in order") {
  auto second = event_named("again", "/order");
  scenario s{pipeline({event_named("pay", "/order"), std::move(second), step_named("b")})};
  s.t.payload = blob{R"({"order":"o-1"})"};
  s.take();
  s.must(event_came{0, 5, blob{"1"}, {}, {}});
  s.take();
  REQUIRE(s.state("again") == "waiting");
  CHECK(last_event_taken(s.t, s.d, 1) == 5);
  CHECK(s.raise(event_came{1, 5, blob{"1"}, {}, {}}) == event_status::ignored);
  CHECK(s.raise(event_came{1, 4, blob{"1"}, {}, {}}) == event_status::ignored);
  s.must(event_came{1, 6, blob{"1"}, {}, {}});
  CHECK(s.raise(event_came{1, 7, blob{"1"}, {}, {}}) == event_status::refused);
}

TEST_CASE("an event that does not come in time fails the step for good, or passes it") {
  auto s = at_step(event_named("pay", "/order"));
  s.now += 3h - 1ms;
  CHECK(s.raise(taken{"s1"}) == event_status::refused);
  s.now += 1ms;
  s.take();
  CHECK(s.state("pay") == "failed");
  CHECK(s.t.cause == "step `pay` failed for good: no event `paid` came in time");
  CHECK(s.raise(came(9)) == event_status::refused);

  auto lenient = event_named("pay", "/order");
  lenient.wait->passes_at_limit = true;
  auto p = at_step(lenient);
  p.wait();
  CHECK(p.state("pay") == "completed");
  CHECK(p.at("pay").result.view() == "null");
  CHECK(p.state("b") == "running");
}

TEST_CASE("undo ends the wait for an event at once, and a person can pass over it but not wake it") {
  auto s = at_step(event_named("pay", "/order"));
  CHECK(s.raise(step_retried{1, false, dan}) == event_status::refused);
  CHECK(s.last.reason == "it waits for an event: send that, or skip the step");
  SECTION("cancelled") {
    s.must(cancelled{dan});
    CHECK(s.state("pay") == "not_started");
    CHECK(s.at("pay").wait->event_key.empty());
    CHECK(s.raise(came(9)) == event_status::refused);
  }
  SECTION("skipped") {
    s.must(step_skipped{1, blob{"{}"}, {}, dan});
    s.take();
    CHECK(s.state("b") == "running");
  }
  SECTION("suspended, it is taken, and goes on when it is resumed") {
    s.must(suspended{dan});
    s.must(came(9));
    CHECK(s.state() == "suspended");
    s.must(resumed{dan});
    s.take();
    CHECK(s.state("b") == "running");
  }
}

TEST_CASE("while another step runs the scheduler that has the task goes on at once") {
  auto d = pipeline({step_named("a"), event_named("pay", "/order"), step_named("b"), step_named("c")});
  d.steps[2].after = {"a"};
  d.steps[3].after = {"pay"};
  scenario s{d};
  s.t.payload = blob{R"({"order":"o-1"})"};
  s.take();
  s.succeed("a");
  REQUIRE(s.state("b") == "running");
  s.must(came(1));
  CHECK(s.state("c") == "running");
  CHECK_THAT(s.commands(), Catch::VectorContains(std::string{"dispatch 3 attempt 1"}));
}

TEST_CASE("a person is asked, reminded by an alert, and the answer is in the story") {
  auto s = at_step(question_named("approve"));
  CHECK(s.state("approve") == "waiting");
  CHECK_THAT(all_explained(s), Catch::Contains("asks a person with the role `sales`: Is the sum right?"));
  CHECK(s.t.not_before == start + 1h);
  s.now += 1h;
  s.take();
  REQUIRE(s.alerts.size() == 1);
  CHECK(s.alerts[0].kind == "waiting");
  CHECK(s.at("approve").wait_alerted);
  CHECK(s.state() == "pending");
  CHECK(s.t.not_before == start + 2h);
  const answered yes{1, 1, "yes", blob{"{}"}, {}, dan};
  auto maybe = yes;
  maybe.choice = "maybe";
  CHECK(s.raise(maybe) == event_status::refused);
  CHECK(s.last.reason == "`maybe` is none of the choices: yes, no");
  auto old = yes;
  old.attempt = 0;
  CHECK(s.raise(old) == event_status::refused);
  s.must(yes);
  CHECK(s.state("approve") == "completed");
  CHECK_FALSE(s.at("approve").wait_alerted);
  REQUIRE(s.t.acts.size() == 1);
  CHECK(s.t.acts[0].what == "answer step `approve`: yes");
  CHECK(s.t.acts[0].why == "a good customer");
  CHECK(s.at("approve").log.back().note == "yes, by dan");
  CHECK(s.raise(yes) == event_status::refused);
}

TEST_CASE("a question whose time is over is not answered any more, though its task is suspended") {
  auto s = at_step(question_named("approve"));
  s.must(suspended{dan});
  s.now = start + 3h;
  CHECK(s.raise(answered{1, 1, "yes", blob{"{}"}, {}, dan}) == event_status::refused);
  CHECK(s.last.reason == "its time is over");
  s.now -= 1ms;
  s.must(answered{1, 1, "yes", blob{"{}"}, {}, dan});
}

TEST_CASE("a question that nobody answers in time raises an alert and fails, or passes") {
  auto rule = question_named("approve");
  SECTION("fails") {
    auto s = at_step(rule);
    s.wait();
    s.wait();
    s.wait();
    CHECK(s.now == start + 3h);
    CHECK(s.state("approve") == "failed");
    CHECK(s.alerts.back().kind == "unanswered");
  }
  SECTION("passes") {
    rule.wait->passes_at_limit = true;
    rule.wait->remind_every = 0s;
    auto s = at_step(rule);
    s.wait();
    CHECK(s.now == start + 3h);
    CHECK(s.state("approve") == "completed");
    CHECK(s.alerts.size() == 1);
  }
}
