// Steps that an agent has begun and that end later, by a token.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/waiting.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

const by cara{"cara", "so"};
const std::string digest = "digest of the token";

/// Step `video` takes at most an hour, and tells each minute that it goes on; `mail` comes after it.
definition rendering() {
  auto d = pipeline({step_named("upload"), step_named("video"), step_named("mail")});
  d.steps[1].later = later_rule{1h, 1min};
  d.deadline = 4h;
  return d;
}

scenario taken_on(definition d = rendering()) {
  scenario s{std::move(d)};
  s.take();
  s.succeed("upload");
  s.must(attempt_taken_on{s.ref("video"), digest});
  return s;
}

token_use token_of(const scenario& s) {
  return {s.number("video"), s.at("video").attempt, digest};
}

later_completed completed(const scenario& s) {
  return {token_of(s), blob{"{\"frames\":9}"}, {}};
}

void expect_dead(scenario& s, const event& e, const std::string& why) {
  const auto before = s.t;
  CHECK(s.raise(e) == event_status::refused);
  CHECK(s.last.reason == why);
  CHECK(s.t == before);
}

std::string all_told(const scenario& s) {
  std::string all;
  for (const auto& e : explain(s.t, s.d, s.now))
    all += e.text + "\n";
  return all;
}

} // namespace

TEST_CASE("a step that its agent has taken on takes no place, and its token completes it") {
  auto s = taken_on();
  CHECK(s.state("video") == "waiting");
  CHECK(s.state() == "pending");
  CHECK(s.t.locked_by.empty());
  CHECK(s.t.not_before == s.now + 1min);
  CHECK(s.at("video").log.back().outcome == attempt_outcome::open);
  CHECK_THAT(all_told(s), Catch::Contains("running: step `video`, attempt 1, was begun by agent `svc`"));
  CHECK(wait_of(s.t, s.d, s.now)->detail == "step `video`: its agent has begun it, and ends it later");

  s.now += 30s;
  s.must(completed(s));
  CHECK(s.state("video") == "completed");
  CHECK(s.at("video").result.view() == "{\"frames\":9}");
  CHECK(s.at("video").log.back().outcome == attempt_outcome::succeeded);
  CHECK(s.t.not_before == unset);
  expect_dead(s, completed(s), "the token was used, or its attempt is over: the step is completed");
  s.take();
  CHECK(s.state("mail") == "running");
}

TEST_CASE("a token of another attempt, of other bits, or before the call is over, changes nothing") {
  scenario s{rendering()};
  s.take();
  s.succeed("upload");
  expect_dead(s, completed(s), "the agent's call for that attempt is not over yet; try again soon");
  CHECK(s.last.is_too_early);
  s.must(attempt_taken_on{s.ref("video"), digest});
  auto guess = completed(s);
  guess.by.digest.back() = 'N';
  expect_dead(s, guess, "the step has another token");
  CHECK_FALSE(s.last.is_too_early);
  guess.by.digest.clear();
  expect_dead(s, guess, "the step has another token");
  auto other = completed(s);
  other.by.attempt = 2;
  expect_dead(s, other, "the token is of attempt 2, and attempt 1 is the current one");
  other.by.step = 9;
  expect_dead(s, other, "there is no such step");
}

TEST_CASE("a step that goes on says so, up to its limit, and its progress is explained") {
  auto s = taken_on();
  for (int i = 1; i <= 60; ++i) {
    s.now += 59s;
    s.must(later_extended{token_of(s), span{0}, std::to_string(i) + " %"});
  }
  CHECK(s.at("video").wait->progress == "60 %");
  CHECK(s.t.not_before == start + 1h);
  CHECK_THAT(all_told(s), Catch::Contains("ends by its token (60 %)"));
  s.must(later_extended{token_of(s), 2h, {}});
  CHECK(s.at("video").not_before == start + 1h);
  CHECK(s.at("video").wait->progress == "60 %");
  s.now = start + 1h;
  expect_dead(s, later_extended{token_of(s), 2h, {}}, "its time is over");
}

TEST_CASE("a worker that dies without a word has failed, the step is begun anew, and its late word is refused") {
  auto s = taken_on();
  const auto late = completed(s);
  s.now += 1min;
  s.take("s2");
  CHECK(s.state("video") == "unknown");
  CHECK(s.at("video").settles_at == s.now + s.d.grace);
  CHECK(s.at("video").log.back().outcome == attempt_outcome::expired);
  s.supervise();
  s.wait();
  REQUIRE(s.state("video") == "running");
  s.must(attempt_taken_on{s.ref("video"), "another digest"});
  expect_dead(s, late, "the token is of attempt 1, and attempt 2 is the current one");
  CHECK(s.state("video") == "waiting");
}

TEST_CASE("who has the token can say that the step failed, for now or for good") {
  auto s = taken_on();
  s.must(later_failed{token_of(s), false, false, 10s, "no machine is free"});
  CHECK(s.state("video") == "not_started");
  CHECK(s.at("video").error == "no machine is free");
  CHECK(s.t.not_before == s.now + 10s);
  s.now += 10s;
  s.take();
  REQUIRE(s.state("video") == "running");
  s.must(attempt_taken_on{s.ref("video"), digest});
  s.must(later_failed{token_of(s), true, false, {}, "it is no video"});
  CHECK(s.state("video") == "failed");
  CHECK(s.state() == "undoing");
  CHECK(s.t.cause == "step `video` failed for good: it is no video");
}

TEST_CASE("a call that was lost before the one that was taken on may act until its time is over") {
  scenario s{rendering()};
  s.take();
  s.succeed("upload");
  const auto settles = s.at("video").complete_by + 1min + s.d.grace; // it may have been taken on, and be silent
  s.must(attempt_taken_on{s.ref("video"), digest, true});
  s.must(later_failed{token_of(s), false, true, {}, "the machine was lost"});
  CHECK(s.state("video") == "unknown");
  CHECK(s.at("video").settles_at == settles);
  auto told = taken_on(); // by the only call that there was
  told.must(later_failed{token_of(told), false, true, {}, "the machine was lost"});
  CHECK(told.at("video").settles_at == unset);
}

TEST_CASE("undo waits for a step that may have been begun in an answer that was lost, as long as it may be silent") {
  const bool has_heartbeat = GENERATE(true, false);
  const bool loses_scheduler = GENERATE(true, false);
  INFO("with a heartbeat: " << has_heartbeat << ", its scheduler is lost: " << loses_scheduler);
  auto d = rendering();
  d.steps[1].complete_by = 2s;
  if (!has_heartbeat)
    d.steps[1].later = later_rule{10min, {}};
  const span silent = has_heartbeat ? span{1min} : 10min - 2s; // its limit is from the beginning of the attempt
  scenario s{d};
  s.take();
  s.succeed("upload");
  const auto quiet_at = s.at("video").complete_by + silent + s.d.grace;
  if (loses_scheduler) {
    s.must(lock_lapsed{});
    s.take("s2"); // it is ordered again
    s.must(cancelled{cara});
    s.expire("video");
  } else {
    s.must(cancelled{cara});
    s.must(attempt_failed{s.ref("video"), false, true, {}, "the connection was lost", true});
  }
  CHECK(s.state("video") == "unknown");
  CHECK(s.at("video").settles_at == quiet_at);
  s.wait();
  CHECK(s.now == quiet_at);
  CHECK(s.state("video") == "compensating");
}

TEST_CASE("who was silent for too long may act until the complete-by that the call was told, and undo waits for that") {
  auto d = rendering();
  d.steps[1].complete_by = 10min;
  auto s = taken_on(d);
  const auto quiet_at = s.at("video").complete_by + s.d.grace;
  s.now += 1min; // its heartbeat
  s.take();
  REQUIRE(s.state("video") == "unknown");
  CHECK(s.at("video").settles_at == quiet_at);
  s.must(cancelled{cara});
  CHECK(s.state("video") == "unknown");
  s.wait();
  CHECK(s.now == quiet_at);
  CHECK(s.state("video") == "compensating");
}

TEST_CASE("undo waits for a step that ends later, and its token still ends it but gives it no more time") {
  auto s = taken_on();
  CHECK(undo_order(s.t, s.d) == std::vector<std::size_t>{1, 0});
  s.must(cancelled{cara});
  CHECK(s.state() == "undoing");
  CHECK(s.state("video") == "waiting");
  const auto until = s.at("video").not_before;
  s.take();
  CHECK(s.t.locked_by.empty()); // it takes no place meanwhile
  CHECK(s.t.not_before == until);
  CHECK(ready_to_undo(s.t, s.d).empty());
  CHECK_THAT(all_told(s), Catch::Contains("finishing: step `video`"));
  expect_dead(s, later_extended{token_of(s), 1h, {}},
              "the task is being undone: the step must end, and gets no more time");
  SECTION("it completes and is undone") {
    s.must(completed(s));
    s.take();
    CHECK(s.state("video") == "compensating");
    CHECK(s.state("upload") == "completed");
  }
  SECTION("it says that nothing happened") {
    s.must(later_failed{token_of(s), true, false, {}, "stopped"});
    CHECK(s.state("video") == "failed");
    s.take();
    CHECK(s.state("upload") == "compensating");
  }
  SECTION("it says nothing, and is undone once it cannot act any more") {
    s.now = until;
    s.take();
    CHECK(s.state("video") == "unknown");
    CHECK(s.state("upload") == "completed");
    s.wait();
    CHECK(s.now == until + s.d.grace);
    CHECK(s.state("video") == "compensating");
  }
}

TEST_CASE("undo waits for a step that ends later, also that of a step beside it, and begins as soon as it has ended") {
  auto d = rendering();
  d.steps[2].after = {"upload"};
  auto s = taken_on(d);
  s.succeed("mail");
  s.must(cancelled{cara});
  s.take();
  CHECK(s.state("mail") == "completed");
  s.must(later_failed{token_of(s), true, false, {}, "stopped"});
  s.take();
  CHECK(s.state("mail") == "compensating");
}

TEST_CASE("while another step runs its scheduler keeps the task, and notices when nobody ends the step") {
  auto d = rendering();
  d.steps[2].after = {"upload"};
  d.steps[2].complete_by = 10min;
  auto s = taken_on(d);
  CHECK(s.state("mail") == "running");
  CHECK_THAT(s.commands(), Catch::VectorContains(std::string{"wake 1 at 60000 ms"}));
  s.must(later_extended{token_of(s), 2min, {}});
  CHECK(s.commands() == std::vector<std::string>{"wake 1 at 120000 ms"});
  s.wait();
  CHECK(s.state("video") == "unknown");
  CHECK(s.at("video").needs_review);
  CHECK(s.state("mail") == "running");
}

TEST_CASE("a person cannot retry or skip a step that ends later, and a deadline undoes its task") {
  auto s = taken_on();
  CHECK(s.raise(step_retried{1, false, cara}) == event_status::refused);
  CHECK(s.last.reason == "an attempt is under way");
  CHECK(s.raise(step_skipped{1, {}, {}, cara}) == event_status::refused);
  CHECK(s.last.reason == "an attempt is under way");
  CHECK(s.raise(payload_edited{blob{"{}"}, cara}) == event_status::refused);
  s.must(later_extended{token_of(s), 1h, {}});
  s.t.complete_by = s.now + 30min + s.d.undo_reserve;
  s.now += 30min;
  s.must(deadline_passed{});
  CHECK(s.state() == "undoing");
  CHECK(s.state("video") == "waiting");
}

TEST_CASE("a suspended task hears how a step ends that it has begun") {
  auto s = taken_on();
  s.must(suspended{cara});
  s.must(completed(s));
  CHECK(s.state() == "suspended");
  s.must(resumed{cara});
  s.take();
  CHECK(s.state("mail") == "running");
}

TEST_CASE("a clock that is set anew gives a step that ends later its whole time again") {
  auto s = taken_on();
  clock_reading later{start + 5h, start + 5h};
  carry_over(s.t, s.d, later);
  CHECK(s.at("video").not_before == start + 5h + 1min);
  clock_reading back{start - 5h, start - 5h};
  auto t = taken_on();
  carry_over(t.t, t.d, back);
  CHECK(t.at("video").not_before == start - 4h);
}

TEST_CASE("only the attempt that performs a step that may end later is taken on") {
  auto d = rendering();
  d.steps[1].later.reset();
  scenario s{d};
  s.take();
  s.succeed("upload");
  CHECK(s.raise(attempt_taken_on{s.ref("video"), digest}) == event_status::refused);
  CHECK(s.last.reason == "the attempt is not one that may end later");
  CHECK(s.last.evidence);
}

TEST_CASE("what makes no sense of a step that ends later is told") {
  auto d = rendering();
  d.steps[1].later = later_rule{1min, 2min};
  CHECK(problems(d) == std::vector<std::string>{"step `video`: later.heartbeat must not be above later.limit"});
  d.steps[1].later = later_rule{5h, {}};
  CHECK(problems(d)
        == std::vector<std::string>{
          "step `video`: later.limit must be shorter than the workflow's deadline without its undo_reserve"});
  d.steps[1].later = later_rule{};
  CHECK(problems(d) == std::vector<std::string>{"step `video`: later.limit must be above zero"});
}
