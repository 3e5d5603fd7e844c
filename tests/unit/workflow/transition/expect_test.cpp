// Services that say that all is well, with a result that says otherwise.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/mapped.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

constexpr const char* good = R"({"status":"ok"})";
constexpr const char* bad = R"({"status":"failed"})";

/// Step `pay` is done only if its result says so.
definition paying(bool retries = false) {
  auto d = pipeline({step_named("a"), step_named("pay"), step_named("b")});
  d.steps[1].probe.reset();
  d.steps[1].expect = expect_rule{{"", "/status", condition::test::equals, "\"ok\""}, retries};
  return d;
}

scenario at_pay(definition d = paying()) {
  scenario s{std::move(d)};
  s.take();
  s.succeed("a");
  return s;
}

void say(scenario& s, const std::string& result) {
  s.must(attempt_succeeded{s.ref("pay"), blob{result}, facts_of(s.d, s.number("pay"), result)});
}

} // namespace

TEST_CASE("row 146: a result that is not as expected fails the step for good, and what may have been done is undone") {
  auto s = at_pay();
  say(s, bad);
  CHECK(s.state() == "undoing");
  CHECK(s.state("pay") == "compensating");
  CHECK(s.state("b") == "not_started");
  CHECK(s.t.cause == "step `pay` failed for good: its result is not as expected: `/status` is \"failed\"");
  const auto& call = s.at("pay").log[s.at("pay").log.size() - 2];
  CHECK(call.outcome == attempt_outcome::failed_permanent);
  CHECK(call.note == "its result is not as expected: `/status` is \"failed\"");
}

TEST_CASE("row 146: a result that is as expected completes the step, and nothing of it counts as failed") {
  auto s = at_pay();
  say(s, good);
  CHECK(s.state("pay") == "completed");
  CHECK(s.at("pay").result.view() == good);
  CHECK(s.at("pay").log.back().outcome == attempt_outcome::succeeded);
  CHECK(s.state("b") == "running");
}

TEST_CASE("row 146: where it may be tried again it is, under its key, until its attempts are used up") {
  auto d = paying(true);
  d.steps[1].retry.attempts = 2;
  d.steps[1].threshold = 1;
  d.steps[1].cool_off.count = 0;
  auto s = at_pay(d);
  const auto key = idempotency_key(s.t, s.d, 1, attempt_action::perform);
  say(s, bad);
  CHECK(s.state() == "processing");
  CHECK(s.at("pay").tries == 1);
  CHECK(s.at("pay").log.back().outcome == attempt_outcome::failed_transient);
  CHECK(needs_undo(s.at("pay"), s.d.steps[1]));
  s.now = s.at("pay").not_before;
  s.must(time_passed{});
  CHECK(idempotency_key(s.t, s.d, 1, attempt_action::perform) == key);
  SECTION("the next is good") {
    say(s, good);
    CHECK(s.state("pay") == "completed");
  }
  SECTION("the next is bad too") {
    say(s, bad);
    s.supervise();
    CHECK(s.state() == "undoing");
    CHECK(needs_undo(s.at("pay"), s.d.steps[1])); // once a scheduler takes the task
    CHECK_THAT(s.t.cause, Catch::Contains("its result is not as expected"));
  }
}

TEST_CASE("row 146: what is missing in a result, or is no JSON, is not as expected, and each compared value is told") {
  const std::pair<const char*, const char*> told[] = {
    {"{}", "its result is not as expected: there is no `/status`"},
    {"ok", "its result is not as expected: there is no `/status`"},
    {R"({"status":null})", "its result is not as expected: `/status` is null"}};
  for (const auto& [result, why] : told) {
    auto s = at_pay();
    say(s, result);
    CHECK(s.state("pay") == "compensating");
    CHECK_THAT(s.t.cause, Catch::EndsWith(why));
  }
  auto d = paying();
  d.steps[1].expect->is = {
    {},
    {},
    condition::test::all,
    {},
    {{"", "/status", condition::test::equals, "\"ok\""}, {"", "/left", condition::test::equals, "0"}}};
  auto s = at_pay(d);
  say(s, R"({"left":2,"status":"ok"})");
  CHECK_THAT(s.t.cause, Catch::EndsWith(": `/status` is \"ok\", `/left` is 2"));
}

TEST_CASE("row 146: the same holds of a probe's word, of a step that ended later, and of one that is repeated") {
  SECTION("a probe says that it happened, and how it ended") {
    auto d = paying();
    d.steps[1].probe = probe{"svc", span{1000}};
    auto s = at_pay(d);
    s.fail("pay", true);
    s.now = s.at("pay").not_before;
    s.must(time_passed{});
    REQUIRE(s.at("pay").doing == attempt_action::probe);
    say(s, bad);
    CHECK(s.state() == "undoing");
    CHECK_THAT(s.t.cause, Catch::Contains("step `pay` failed for good: its result is not as expected"));
  }
  SECTION("by its token") {
    auto d = paying();
    d.steps[1].later = later_rule{std::chrono::hours{1}, span{0}};
    auto s = at_pay(d);
    const std::string digest(32, 'd');
    s.must(attempt_taken_on{s.ref("pay"), digest});
    s.must(later_completed{{1, s.at("pay").attempt, digest}, blob{bad}, facts_of(s.d, 1, bad)});
    CHECK(s.state() == "undoing");
    CHECK_THAT(s.t.cause, Catch::Contains("its result is not as expected"));
  }
  SECTION("a call that is as expected and not as wanted is followed by the next") {
    auto d = paying();
    d.steps[1].repeat = repeat_rule{{"", "/ready", condition::test::equals, "true"}, span{60'000}, 3, false};
    auto s = at_pay(d);
    say(s, R"({"ready":false,"status":"ok"})");
    CHECK(s.at("pay").wait->calls == 1);
    CHECK(s.state() == "pending");
    s.now = s.at("pay").not_before;
    s.take();
    say(s, R"({"ready":true,"status":"failed"})");
    CHECK(s.state() == "undoing");
  }
}

TEST_CASE("a task that is being undone takes a result as it is, and a person may give any") {
  auto s = at_pay();
  s.must(cancelled{{"eve", "a test"}});
  REQUIRE(s.state("pay") == "running");
  say(s, bad);
  CHECK(s.state("pay") == "compensating");
  CHECK(s.t.cause.find("not as expected") == std::string::npos);
}

TEST_CASE("what makes no sense of an expected result is told, and older releases are not given one") {
  CHECK(problems(paying()).empty());
  CHECK(needed_for(paying()) == knowledge::expectations);
  CHECK(pointers_asked(paying(), 1) == std::vector<std::string>{"/status"});
  auto d = paying();
  d.graph.make_for(d);
  CHECK(pointers_asked(d, 1) == std::vector<std::string>{"/status"});
  CHECK(pointers_asked(d, 0).empty());
  d = paying();
  d.steps[1].expect->is.step = "a";
  CHECK(problems(d)
        == std::vector<std::string>{"step `pay`: expect compares the step's own result, so it must not name step `a`"});
  d = paying();
  auto sleeping = sleep_named("pay", std::chrono::hours{1});
  sleeping.expect = d.steps[1].expect;
  d.steps[1] = sleeping;
  CHECK_FALSE(problems(d).empty());
  d = paying();
  d.steps[1].wait = wait_rule{};
  d.steps[1].wait->what = wait_rule::kind::items;
  d.steps[1].wait->at = {source::kind::payload, {}, "/items", {}};
  d.steps[1].wait->at_a_time = 1;
  CHECK(item_workflow(d, 1).steps[0].expect == paying().steps[1].expect); // each item's result must be so
}
