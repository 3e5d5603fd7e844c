// What a person may do to a task.
#include "tests/support/workflow/scenario.hpp"
#include "workflow/task/compensation.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

namespace {

const by ann{"ann", "because"};

/// b is used up and the task asks a person; a is done.
scenario in_error(bool b_may_have_acted = true) {
  auto d = two_steps();
  ask_a_person_at_once(d.steps[1]);
  scenario x{d};
  x.take();
  x.succeed("a");
  x.fail("b", b_may_have_acted);
  x.supervise();
  REQUIRE(x.state() == "error");
  return x;
}

/// b could not be undone; a was.
scenario undo_failed() {
  scenario x{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.fail_for_good("c");
  x.fail_for_good("b");
  x.succeed("a");
  REQUIRE(x.state() == "error");
  return x;
}

} // namespace

TEST_CASE("row 74: a cancel while a step runs stops it and undoes what was done, twice is once") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.must(cancelled{ann});
  CHECK(x.state() == "undoing");
  CHECK(x.t.cause == "cancelled by ann: because");
  CHECK(x.commands() == texts{"stop 1 attempt 1"});
  const task before = x.t;
  CHECK(x.raise(cancelled{ann}) == event_status::ignored);
  CHECK(x.t == before);
  x.must(attempt_stopped{x.ref("b"), false});
  x.succeed("a");
  CHECK(x.state() == "undone");
  CHECK(x.raise(cancelled{ann}) == event_status::ignored);
}

TEST_CASE("row 74: a cancel and the completion of the last step: whichever is first decides") {
  scenario x{pipeline({step_named("a")})};
  x.take();
  SECTION("the completion") {
    x.succeed("a");
    CHECK(x.raise(cancelled{ann}) == event_status::refused);
    CHECK(x.last.reason == "it has ended; `undo` reverses it");
    CHECK(x.state() == "processed");
  }
  SECTION("the cancel") {
    x.must(cancelled{ann});
    x.succeed("a");
    CHECK(x.state("a") == "compensating");
    x.succeed("a");
    CHECK(x.state() == "undone");
  }
}

TEST_CASE("row 74: a cancel while undo runs changes nothing") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  const task before = x.t;
  CHECK(x.raise(cancelled{ann}) == event_status::ignored);
  CHECK(x.raise(undo_requested{ann}) == event_status::ignored);
  CHECK(x.t == before);
}

TEST_CASE("a pending task that is cancelled ends at once") {
  scenario x{two_steps()};
  x.must(cancelled{{"ann", ""}});
  CHECK(x.state() == "undone");
  CHECK(x.t.cause == "cancelled by ann");
}

TEST_CASE("row 78: a resubmitted step opens a generation, keeps its key, and is recorded") {
  auto x = in_error();
  const auto key = idempotency_key(x.t, x.d, 1, attempt_action::perform);
  x.now += 48h;
  x.must(step_retried{1, false, ann});
  CHECK(x.t.generation == 2);
  CHECK(x.state() == "pending");
  CHECK(x.t.ended_at == unset);
  CHECK(x.t.cause.empty());
  CHECK(x.t.complete_by == x.now + x.d.deadline);
  CHECK(idempotency_key(x.t, x.d, 1, attempt_action::perform) == key);
  REQUIRE(x.t.acts.size() == 1);
  CHECK(x.t.acts[0] == act{x.now, "ann", "retry step `b`", "because"});
  x.take();
  CHECK(x.state("a") == "completed");
  CHECK(x.at("a").attempt == 1);
  CHECK(x.at("b").attempt == 2);
  x.succeed("b");
  CHECK(x.state() == "processed");
}

TEST_CASE("row 78: a new key is made only for the step for which it was asked") {
  auto x = in_error(false);
  x.must(step_retried{1, true, ann});
  CHECK(idempotency_key(x.t, x.d, 0, attempt_action::perform) == "t1/a");
  CHECK(idempotency_key(x.t, x.d, 1, attempt_action::perform) == "t1/b#2");
  CHECK(x.t.acts[0].what == "retry step `b` with a new key");
}

TEST_CASE("P16: an undo that is tried again reverses what was done: it gets no new key") {
  auto x = undo_failed();
  CHECK(x.raise(step_retried{1, true, ann}) == event_status::refused);
  CHECK(x.last.reason == "an undo reverses what was done under the step's key; try it again without a new one");
  x.must(step_retried{1, false, ann});
  x.take();
  CHECK(idempotency_key(x.t, x.d, 1, attempt_action::compensate) == "t1/b/undo");
  CHECK(idempotency_key(x.t, x.d, 1, attempt_action::perform) == "t1/b");
}

TEST_CASE("P16: a step that may have acted gets no new key: an undo would not find what it did") {
  scenario x{two_steps()};
  x.take();
  x.expire("a");
  CHECK(x.raise(step_retried{0, true, ann}) == event_status::refused);
  CHECK(x.last.reason.find("may have acted under its key") != std::string::npos);
  x.must(step_retried{0, false, ann});
  CHECK(idempotency_key(x.t, x.d, 0, attempt_action::perform) == "t1/a");
  x.must(cancelled{ann});
  x.must(attempt_stopped{x.ref("a")});
  x.wait();
  CHECK(x.at("a").doing == attempt_action::compensate);
  CHECK(idempotency_key(x.t, x.d, 0, attempt_action::compensate) == "t1/a/undo");
}

TEST_CASE("an undo that failed can be tried again, all of it") {
  auto x = undo_failed();
  CHECK(x.raise(step_retried{0, false, ann}) == event_status::refused);
  CHECK(x.last.reason == "the step is compensated");
  CHECK(x.raise(step_retried{2, false, ann}) == event_status::refused);
  CHECK(x.last.reason == "undo has begun; only an undo that failed can be tried again");
  x.must(step_retried{1, false, ann});
  CHECK(x.state() == "undoing");
  CHECK(x.t.generation == 2);
  CHECK(x.t.cause == "step `c` failed for good: not allowed");
  x.take();
  CHECK(x.at("b").doing == attempt_action::compensate);
  x.succeed("b");
  CHECK(x.state() == "undone");
}

TEST_CASE("a failed undo that a person has settled by hand is skipped") {
  auto x = undo_failed();
  x.must(step_skipped{1, {}, {}, ann});
  CHECK(x.state() == "undone");
  CHECK(x.state("b") == "compensated");
  CHECK(x.t.generation == 2);
  CHECK(x.t.acts[0].what == "skip step `b`");
}

TEST_CASE("an undo asked for after a failed undo tries it again") {
  auto x = undo_failed();
  x.must(undo_requested{ann});
  CHECK(x.state() == "undoing");
  CHECK(x.t.cause == "step `c` failed for good: not allowed"); // who asked for it is among the acts
  CHECK(x.t.acts.back().what == "undo");
  CHECK(x.state("b") == "compensating");
}

TEST_CASE("an undo asked for in error tells what went wrong before") {
  auto x = in_error();
  const auto before = x.t.cause;
  x.must(undo_requested{ann});
  CHECK(x.t.cause == before + "; undone by ann: because");
}

TEST_CASE("a task in error can be undone, but not cancelled") {
  auto x = in_error();
  CHECK(x.raise(cancelled{ann}) == event_status::refused);
  x.must(undo_requested{ann});
  CHECK(x.state() == "undoing");
  x.take();
  CHECK(x.state("b") == "compensating"); // unknown counts as done
}

TEST_CASE("a processed task can be undone as a new generation") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.succeed("b");
  x.must(undo_requested{ann});
  CHECK(x.t.generation == 2);
  CHECK(x.state() == "undoing");
  x.take();
  CHECK(x.state("b") == "compensating");
  x.succeed("b");
  x.succeed("a");
  CHECK(x.state() == "undone");
  CHECK(x.raise(undo_requested{ann}) == event_status::ignored);
  CHECK(x.raise(step_retried{0, false, ann}) == event_status::refused);
  CHECK(x.raise(step_skipped{0, {}, {}, ann}) == event_status::refused);
  CHECK(x.raise(payload_edited{{}, ann}) == event_status::refused);
  CHECK(x.raise(suspended{ann}) == event_status::refused);
}

TEST_CASE("a step in error is skipped with a result that later steps may use") {
  auto d = pipeline({step_named("a"), step_named("b")});
  ask_a_person_at_once(d.steps[0]);
  d.steps[1].when = condition{"a", "/x", condition::test::equals, "1"};
  scenario x{d};
  x.take();
  x.fail("a");
  x.supervise();
  x.must(step_skipped{0, blob{R"({"x":1})"}, {{"/x", "1"}}, ann});
  CHECK(x.state() == "pending");
  CHECK(x.state("a") == "skipped");
  x.take();
  CHECK(x.state("b") == "running");
  CHECK(x.at("a").result.view() == R"({"x":1})");
}

TEST_CASE("P15: an undo covers a step that a person skipped when it may have acted") {
  for (const bool has_compensation : {true, false}) {
    auto d = two_steps();
    ask_a_person_at_once(d.steps[0]);
    if (!has_compensation)
      d.steps[0].compensation.reset();
    scenario x{d};
    x.take();
    x.fail("a", true);
    x.supervise();
    REQUIRE(x.state("a") == "unknown");
    x.must(step_skipped{0, blob{R"({"id":7})"}, {}, ann});
    CHECK(x.state("a") == "skipped");
    x.take();
    x.must(cancelled{ann});
    CHECK(left_in_place(x.t, x.d).size() == (has_compensation ? 0 : 1));
    CHECK(undo_order(x.t, x.d).size() == (has_compensation ? 2 : 1)); // of b, which runs, too
    x.succeed("b");
    x.succeed("b"); // its undo
    CHECK(x.state("a") == (has_compensation ? "compensating" : "skipped"));
    if (has_compensation)
      x.succeed("a");
    CHECK(x.state("a") == (has_compensation ? "compensated" : "skipped"));
    CHECK(x.state() == "undone");
  }
}

TEST_CASE("an undo leaves a skipped step alone that cannot have acted") {
  scenario x{two_steps()};
  x.must(step_skipped{0, {}, {}, ann});
  x.take();
  x.succeed("b");
  x.must(undo_requested{ann});
  x.take();
  x.succeed("b");
  CHECK(x.state("a") == "skipped");
  CHECK(x.state() == "undone");
}

TEST_CASE("only a step that has not happened and is not under way is skipped") {
  scenario x{two_steps()};
  CHECK(x.raise(step_skipped{2, {}, {}, ann}) == event_status::refused);
  x.take();
  CHECK(x.raise(step_skipped{0, {}, {}, ann}) == event_status::refused);
  CHECK(x.last.reason == "an attempt is under way");
  x.succeed("a");
  CHECK(x.raise(step_skipped{0, {}, {}, ann}) == event_status::refused);
  CHECK(x.last.reason == "the step is completed");
  x.fail("b");
  x.must(step_skipped{1, {}, {}, ann});
  CHECK(x.state() == "processed");
}

TEST_CASE("the undo of a task cannot be skipped step by step while it runs") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  CHECK(x.raise(step_skipped{1, {}, {}, ann}) == event_status::refused);
  x.must(suspended{ann});
  CHECK(x.raise(step_skipped{1, {}, {}, ann}) == event_status::refused);
}

TEST_CASE("a step that waits is retried at once, with its counts anew") {
  scenario x{two_steps()};
  x.take();
  CHECK(x.raise(step_retried{0, false, ann}) == event_status::refused);
  CHECK(x.last.reason == "an attempt is under way");
  CHECK(x.raise(step_retried{1, false, ann}) == event_status::refused);
  CHECK(x.last.reason == "the step is not_started and not waiting");
  CHECK(x.raise(step_retried{2, false, ann}) == event_status::refused);
  x.fail("a");
  x.must(step_retried{0, false, ann});
  CHECK(x.state("a") == "running");
  CHECK(x.at("a").tries == 0);
  x.expire_round("a");
  CHECK(x.state() == "pending");
  x.must(step_retried{0, false, ann});
  CHECK(x.t.not_before == unset);
  x.take();
  x.expire("a");
  x.must(step_retried{0, false, ann}); // before the supervisor has decided
  CHECK_FALSE(x.at("a").needs_review);
  CHECK(x.state("a") == "running");
}

TEST_CASE("a task that is suspended starts nothing, gives up its lock, and resumes where it was") {
  scenario x{two_steps()};
  x.take();
  x.must(suspended{ann});
  CHECK(x.t.locked_by == "s1"); // an attempt is under way
  CHECK(x.raise(suspended{ann}) == event_status::ignored);
  CHECK(x.raise(step_retried{0, false, ann}) == event_status::refused);
  x.succeed("a");
  CHECK(x.state() == "suspended");
  CHECK(x.t.locked_by.empty());
  CHECK(x.state("b") == "not_started");
  CHECK(x.commands() == texts{"let go"});
  CHECK(x.raise(taken{"s2"}) == event_status::refused);
  CHECK(x.last.reason == "it is suspended");
  x.must(resumed{ann});
  CHECK(x.state() == "pending");
  CHECK(x.raise(resumed{ann}) == event_status::ignored);
  x.take();
  CHECK(x.state("b") == "running");
  x.must(suspended{ann});
  x.must(resumed{ann}); // before the attempt ended
  CHECK(x.state() == "processing");
  CHECK(x.t.acts.size() == 4);
}

TEST_CASE("an undo that is suspended resumes as an undo") {
  scenario x{two_steps()};
  x.take();
  x.succeed("a");
  x.fail_for_good("b");
  x.must(suspended{ann});
  CHECK(x.raise(cancelled{ann}) == event_status::ignored);
  x.fail("a");
  CHECK(x.t.locked_by.empty());
  SECTION("by resume") {
    x.must(resumed{ann});
    CHECK(x.state() == "undoing");
    x.wait();
    CHECK(x.at("a").doing == attempt_action::compensate);
  }
  SECTION("by undo") {
    x.must(undo_requested{ann});
    CHECK(x.state() == "undoing");
  }
}

TEST_CASE("a suspended task can be cancelled") {
  scenario x{two_steps()};
  x.take();
  x.must(suspended{ann});
  x.must(cancelled{ann});
  CHECK(x.state() == "undoing");
  x.must(attempt_stopped{x.ref("a"), false});
  CHECK(x.state() == "undone");
  scenario y{two_steps()};
  y.must(suspended{ann});
  y.must(cancelled{ann});
  CHECK(y.state() == "undone");
}

TEST_CASE("a task that is to start later keeps its time when it is suspended, resumed or a step is skipped") {
  auto d = two_steps();
  scenario x{d};
  auto s = submission_of(d);
  s.not_before = x.now + 1h;
  x.t = make_task(s, d, x.now);
  if (GENERATE(false, true))
    x.t.lock_epoch = 1'000'000; // of a restored copy
  x.must(suspended{ann});
  x.must(resumed{ann});
  CHECK(x.t.not_before == start + 1h);
  x.must(step_skipped{0, {}, {}, ann});
  CHECK(x.t.not_before == start + 1h);
}

TEST_CASE("a payload that lacks what the workflow needs does not take the place of another") {
  auto d = two_steps();
  d.steps[1].input = {{"n", {source::kind::payload, "", "/n", ""}}};
  scenario x{d};
  CHECK(x.raise(payload_edited{blob{"{}"}, ann}) == event_status::refused);
  CHECK(x.t.payload.view() == R"({"n":1})");
  x.must(payload_edited{blob{R"({"n":2})"}, ann});
  CHECK(x.t.payload.view() == R"({"n":2})");
}

TEST_CASE("the payload is edited only while nothing works with it") {
  const payload_edited edit{blob{"2"}, ann};
  scenario x{two_steps()};
  x.must(edit);
  CHECK(x.t.payload.view() == "2");
  CHECK(x.t.acts[0].what == "edit the payload");
  x.take();
  CHECK(x.raise(edit) == event_status::refused);
  CHECK(x.last.reason == "the task is processing; suspend it first");
  x.must(suspended{ann});
  CHECK(x.raise(edit) == event_status::refused);
  CHECK(x.last.reason == "an attempt is under way");
  x.succeed("a");
  x.must(edit);
  x.must(resumed{ann});
  x.take();
  x.fail_for_good("b");
  CHECK(x.raise(edit) == event_status::refused);
  x.must(suspended{ann});
  CHECK(x.raise(edit) == event_status::refused);
  auto y = in_error();
  y.must(edit);
  auto z = undo_failed();
  CHECK(z.raise(edit) == event_status::refused);
}

TEST_CASE("row 79: a task goes by the definition it was made from, whatever newer versions say") {
  auto old = two_steps();
  scenario x{old};
  x.take();
  auto newer = old;
  newer.version = 2;
  newer.steps.erase(newer.steps.begin() + 1);
  CHECK(x.t.version == 1);
  x.succeed("a");
  CHECK(x.state("b") == "running"); // which the newer version does not have
  x.succeed("b");
  CHECK(x.state() == "processed");
  CHECK(x.t.version == 1);
  CHECK(make_task(submission_of(newer), newer, x.now).version == 2);
}

TEST_CASE("what people did is kept to a bound, and so is what they said") {
  scenario x{two_steps()};
  const by talker{std::string(1000, 'w'), std::string(1000, 'y')};
  for (int i = 0; i < 40; ++i) {
    x.must(suspended{talker});
    x.must(resumed{talker});
  }
  CHECK(x.t.acts.size() == acts_max);
  CHECK(x.t.acts[0].who.size() == note_size_max);
  CHECK(x.t.acts[0].why.size() == note_size_max);
  x.must(cancelled{talker});
  CHECK(x.t.cause.size() <= 3 * note_size_max);
}

TEST_CASE("a step that is skipped while the one before it runs does not let the one after it start") {
  scenario x{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  x.take();
  x.must(step_skipped{1, blob{"1"}, {}, ann});
  CHECK(x.state("c") == "not_started");
  x.succeed("a");
  CHECK(x.state("c") == "running");
}
