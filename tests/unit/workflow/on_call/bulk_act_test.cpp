// Which tasks a bulk act meets, what an answer means, when it is over, and how much of the time it takes.

#include "workflow/on_call/bulk_act.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;

namespace {

const instant began{span{1'000'000}};
const instant minute_on = began + span{60'000};

bulk_act sample() {
  bulk_act b;
  b.number = 7;
  b.about = 10;
  b.beyond = b.position = 11;
  b.started_at = began;
  return b;
}

} // namespace

TEST_CASE("a bulk act meets each task that was there when it began once, from the newest down") {
  auto b = sample();
  CHECK_FALSE(has_yet_to_meet(b, 11)); // submitted later
  CHECK(has_yet_to_meet(b, 10));
  note_done(b, 10);
  note_done(b, 8);
  CHECK_FALSE(has_yet_to_meet(b, 10));
  CHECK_FALSE(has_yet_to_meet(b, 8));
  CHECK(has_yet_to_meet(b, 9));
  pass(b, {8, false, 1, 0}, minute_on);
  for (std::uint64_t task = 8; task <= 11; ++task)
    CHECK_FALSE(has_yet_to_meet(b, task));
  CHECK(has_yet_to_meet(b, 7));
  CHECK(b.done == 2);
  CHECK(b.refused == 1);
  CHECK(b.met.empty());
  CHECK(is_open(b));
}

TEST_CASE("a bulk act never goes back") {
  auto b = sample();
  pass(b, {5, false, 0, 0}, minute_on);
  pass(b, {8, false, 0, 0}, minute_on);
  CHECK(b.position == 5);
}

TEST_CASE("after its last page a bulk act is over, and what matched at first and was not met was skipped") {
  auto b = sample();
  note_done(b, 10);
  note_done(b, 9);
  pass(b, {0, true, 3, 1}, minute_on);
  CHECK(b.state == bulk_state::ended);
  CHECK(b.ended_at == minute_on);
  CHECK(b.done + b.refused + b.skipped == b.about);
  CHECK(b.skipped == 5);
  CHECK_FALSE(has_yet_to_meet(b, 1));
}

TEST_CASE("a bulk act that was stopped meets nobody, counts what was under way, and stays stopped") {
  auto b = sample();
  note_done(b, 10);
  stop(b, "ann", "wrong filter", minute_on);
  CHECK(b.state == bulk_state::stopped);
  CHECK_FALSE(has_yet_to_meet(b, 9));
  pass(b, {0, true, 2, 1}, minute_on + span{1});
  CHECK(b.state == bulk_state::stopped);
  CHECK(b.ended_at == minute_on);
  CHECK(b.refused == 2);
  CHECK(b.skipped == 1);
  stop(b, "bob", "", minute_on + span{2});
  CHECK(b.stopped_by == "ann");
  CHECK(b.stopped_why == "wrong filter");
}

TEST_CASE("a bulk act is kept for a while after its end, and an open one for as long as it is open") {
  auto b = sample();
  const span week{7 * 24 * 3'600'000};
  CHECK_FALSE(may_leave(b, week, minute_on + week * 10));
  stop(b, "ann", "", minute_on);
  CHECK_FALSE(may_leave(b, week, minute_on + week - span{1}));
  CHECK(may_leave(b, week, minute_on + week));
}

TEST_CASE("what the answer of a task means for a bulk act") {
  CHECK(step_after(true, act_refusal::by_rule, 1) == bulk_step::count_done);
  CHECK(step_after(false, act_refusal::by_rule, 1) == bulk_step::count_refused);
  CHECK(step_after(false, act_refusal::gone, 1) == bulk_step::leave_out);
  CHECK(step_after(false, act_refusal::not_now, bulk_tries_max) == bulk_step::wait);
  CHECK(step_after(false, act_refusal::unknown, bulk_tries_max) == bulk_step::wait);
  CHECK(step_after(false, act_refusal::changed, bulk_tries_max - 1) == bulk_step::look_again);
  CHECK(step_after(false, act_refusal::changed, bulk_tries_max) == bulk_step::count_refused);
}

TEST_CASE("open bulk acts have their pages in turn") {
  std::vector<bulk_act> open(3);
  open[0].number = 9;
  open[1].number = 5;
  open[2].number = 2;
  CHECK_FALSE(next_turn({}, 3));
  CHECK(next_turn(open, 0) == 2);
  CHECK(next_turn(open, 2) == 1);
  CHECK(next_turn(open, 5) == 0);
  CHECK(next_turn(open, 9) == 2);
}

TEST_CASE("bulk acts take at most half of the time, and meet no more tasks in a second than they may") {
  CHECK(pause_after_page(64, span{10}, 1000) == span{54});
  CHECK(pause_after_page(64, span{100}, 1000) == span{100});
  CHECK(pause_after_page(0, span{0}, 1000) == span{1});
  CHECK(pause_after_page(64, span{5000}, 1000) == span{1000});
  CHECK(pause_after_page(64, span{0}, 10) == span{6400});
}

TEST_CASE("a bulk act that cannot be is refused with a sentence") {
  bulk_act b;
  CHECK(problems(b).empty());
  b.act = task_act::edit;
  CHECK(problems(b).size() == 1);
  b.act = task_act::skip;
  CHECK(problems(b).size() == 1);
  b.step = "flight";
  CHECK(problems(b).empty());
  b.where = std::string(bulk_text_size_max + 1, 'x');
  CHECK(problems(b) == std::vector<std::string>{"where has 4097 bytes and may have 4096"});
}

TEST_CASE("the names of acts are read as they are written") {
  for (const auto a : {task_act::retry, task_act::skip, task_act::edit, task_act::undo, task_act::cancel,
                       task_act::suspend, task_act::resume})
    CHECK(parse_task_act(to_string(a)) == a);
  CHECK_FALSE(parse_task_act("delete"));
  CHECK(to_string(bulk_state::open) == "open");
  CHECK(to_string(bulk_state::ended) == "ended");
  CHECK(to_string(bulk_state::stopped) == "stopped");
}
