// Steps that are called again until their result is as wanted.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/mapped.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

/// Step `poll` asks every ten minutes whether its file is ready, three times at most.
definition polling(bool passes = false) {
  auto d = pipeline({step_named("a"), step_named("poll"), step_named("b")});
  d.steps[1].probe.reset();
  d.steps[1].repeat =
    repeat_rule{{"", "/state", condition::test::equals, "\"ready\""}, std::chrono::minutes{10}, 3, passes};
  return d;
}

scenario at_poll(bool passes = false) {
  scenario s{polling(passes)};
  s.take();
  s.succeed("a");
  return s;
}

/// Its service says how far the file is.
void tell_state(scenario& s, const std::string& state) {
  const std::string result = "{\"state\":\"" + state + "\"}";
  s.must(attempt_succeeded{s.ref("poll"), blob{result}, facts_of(s.d, 1, result)});
}

/// The next call's time comes.
void wait_for_call(scenario& s) {
  s.now = s.at("poll").not_before;
  if (s.t.locked_by.empty())
    s.take();
  else
    s.must(time_passed{});
}

} // namespace

TEST_CASE("row 131: a step is called again, under its key, until its result is as wanted") {
  auto s = at_poll();
  CHECK(idempotency_key(s.t, s.d, 1, attempt_action::perform).ends_with("/poll"));
  tell_state(s, "busy");
  CHECK(s.state() == "pending"); // it takes no place of a scheduler
  CHECK(s.t.not_before == s.now + std::chrono::minutes{10});
  CHECK(s.at("poll").tries == 0);
  CHECK(s.at("poll").log.back().outcome == attempt_outcome::succeeded);
  const auto told = explain(s.t, s.d, s.now);
  CHECK(std::any_of(told.begin(), told.end(), [](const explanation& e) {
    return e.text.find("its result is not as wanted after call 1 of 3") != std::string::npos;
  }));
  wait_for_call(s);
  CHECK(s.state("poll") == "running");
  CHECK(idempotency_key(s.t, s.d, 1, attempt_action::perform).ends_with("/poll"));
  tell_state(s, "ready");
  CHECK(s.state("poll") == "completed");
  CHECK(s.at("poll").result.view() == R"({"state":"ready"})");
  CHECK(s.state("b") == "running");
}

TEST_CASE("row 131: a call that fails is tried again as any, and counts as no call") {
  auto s = at_poll();
  tell_state(s, "busy");
  wait_for_call(s);
  s.must(attempt_failed{s.ref("poll"), false, false, span{0}, "no luck"});
  CHECK(s.at("poll").tries == 1);
  CHECK(s.at("poll").wait->calls == 1);
  wait_for_call(s);
  CHECK(idempotency_key(s.t, s.d, 1, attempt_action::perform).ends_with("/poll"));
  tell_state(s, "busy");
  CHECK(s.at("poll").tries == 0);
  CHECK(s.at("poll").wait->calls == 2);
}

TEST_CASE("row 131: after as many calls as may be the step fails for good, or is passed with the last result") {
  for (const bool passes : {false, true}) {
    auto s = at_poll(passes);
    for (int call = 1; call < 3; ++call) {
      tell_state(s, "busy");
      REQUIRE(s.state("poll") == "unknown");
      wait_for_call(s);
    }
    tell_state(s, "late");
    CHECK(s.state("poll") == (passes ? "completed" : "compensating"));
    CHECK(s.state() == (passes ? "processing" : "undoing"));
    if (passes)
      CHECK(s.at("poll").result.view() == R"({"state":"late"})");
    else
      CHECK_THAT(s.t.cause, Catch::Contains("was not as wanted after 3 calls"));
  }
}

TEST_CASE("row 131: what the calls have done is undone, also between two of them and after one was refused") {
  const by eve{"eve", "a test"};
  auto s = at_poll();
  tell_state(s, "busy");
  CHECK(needs_undo(s.at("poll"), s.d.steps[1]));
  SECTION("between two calls") {
    s.must(cancelled{eve});
    s.take();
    CHECK(s.state("poll") == "compensating");
  }
  SECTION("after a refusal") {
    wait_for_call(s);
    s.fail_for_good("poll");
    CHECK(needs_undo(s.at("poll"), s.d.steps[1]));
    CHECK(s.state() == "undoing");
  }
}

TEST_CASE("a person who retries a step calls it at once, and what cannot be repeated is refused") {
  auto s = at_poll();
  tell_state(s, "busy");
  s.must(step_retried{1, false, {"eve", "a test"}});
  s.take();
  CHECK(s.state("poll") == "running");

  auto d = polling();
  CHECK(problems(d).empty());
  CHECK(needed_for(d) == knowledge::for_each);
  CHECK(pointers_asked(d, 1) == std::vector<std::string>{"/state"});
  CHECK(pointers_asked(d, 0).empty());
  const auto complaint = [](auto change) {
    auto wrong = polling();
    change(wrong.steps[1]);
    const auto found = problems(wrong);
    return found.empty() ? std::string{} : found.front();
  };
  CHECK_THAT(complaint([](auto& x) { x.repeat->at_most = 1; }),
             Catch::Contains("step `poll`: repeat.at_most must lie"));
  CHECK_THAT(complaint([](auto& x) { x.repeat->every = span{0}; }), Catch::Contains("repeat.every"));
  CHECK_THAT(complaint([](auto& x) { x.repeat->until.step = "a"; }), Catch::Contains("must not name step `a`"));
  CHECK_THAT(complaint([](auto& x) { x.probe = probe{"asker"}; }), Catch::Contains("cannot have a probe"));
  CHECK_THAT(complaint([](auto& x) {
               x.repeat->until = {"", "", condition::test::negated, "", {x.repeat->until}};
               x.repeat->until.parts[0].literal = "{";
             }),
             Catch::Contains("repeat.until literal"));
}
