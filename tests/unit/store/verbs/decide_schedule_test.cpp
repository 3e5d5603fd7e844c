// What puts a schedule, what persons do to it, and what people are told of it, without a disk.

#include "store/verbs/decide_schedule.hpp"
#include "tests/unit/store/support.hpp"

#include "workflow/supervision/node_card.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using workflow::moment_fate;

namespace {

workflow::schedule each_hour() {
  workflow::schedule s;
  s.name = "hourly";
  s.workflow = "delivery";
  s.every = 1h;
  return s;
}

put_schedule put_of(const workflow::schedule& s, const std::string& file = {}) {
  return {s, file, at(0)};
}

/// With its workflow.
known_schedule known_with(const workflow::definition& d) {
  known_schedule known;
  known.definition = &d;
  return known;
}

workflow::schedule_state begun_hourly() {
  return workflow::begun(each_hour(), {}, at(0), nullptr);
}

workflow::schedule_state with_fate(moment_fate fate) {
  auto s = begun_hourly();
  s.notes = {{at(1), at(1), fate, "no such workflow"}};
  return s;
}

act_on_schedule act_of_ann(schedule_act act) {
  return {"hourly", act, "ann", "a test", at(5)};
}

/// A store that answers so to the wish for a task.
workflow::schedule_needs that_makes(const workflow::made_task& made) {
  return {[](std::uint64_t) { return workflow::task_before{}; },
          [made](const workflow::schedule&, workflow::instant) { return made; }, [](const workflow::task_before&) {}};
}

acted_schedule acted(schedule_act act, const workflow::schedule_state& there,
                     const workflow::made_task& made = {true, true, {true, 3, "t"}, {}}) {
  return decide(act_of_ann(act), &there, that_makes(made));
}

} // namespace

TEST_CASE("deciding: a schedule is put once, and again only if it or its file is another") {
  const auto d = delivery();
  auto known = known_with(d);
  const auto first = decide(put_of(each_hour()), known);
  CHECK(first.said.changed);
  REQUIRE(first.put);
  CHECK(first.put->next_at != workflow::never);
  known.there = &*first.put;
  CHECK_FALSE(decide(put_of(each_hour()), known).put);
  CHECK_FALSE(decide(put_of(each_hour()), known).said.changed);
  CHECK(decide(put_of(each_hour(), "night.toml"), known).put);
  auto other = each_hour();
  other.every = 2h;
  CHECK(decide(put_of(other), known).put.value().what.every == 2h);
}

TEST_CASE("deciding: a schedule without a workflow, one too many, or one that a node cannot serve is refused") {
  const auto d = delivery();
  auto known = known_with(d);
  known.definition = nullptr;
  CHECK_THAT(decide(put_of(each_hour()), known).said.why, Catch::Contains("there is no workflow `delivery`"));
  known.definition = &d;
  known.count = workflow::schedules_max;
  CHECK_THAT(decide(put_of(each_hour()), known).said.why, Catch::Contains("the store takes no more"));
  const auto there = begun_hourly();
  known.there = &there; // it takes no place of its own
  CHECK(decide(put_of(each_hour()), known).said.result == write_status::applied);
  workflow::node_card card{"old", "10.0.0.1:7801", {}, {}};
  card.knows = workflow::knowledge::none;
  known.nodes = {{"node/old", "x", workflow::note_of(card), 1, at(10)}};
  CHECK_THAT(decide(put_of(each_hour()), known).said.why, Catch::Contains("upgrade all nodes first"));
  known.nodes[0].expires_at = at(0); // it is gone
  CHECK(decide(put_of(each_hour()), known).said.result == write_status::applied);
}

TEST_CASE("deciding: people are told once of a schedule of a file that is refused, until it is put") {
  const auto d = delivery();
  auto known = known_with(d);
  known.definition = nullptr;
  CHECK_FALSE(decide(put_of(each_hour()), known).raised); // who sent it has the answer
  const auto refused = decide(put_of(each_hour(), "night.toml"), known);
  CHECK(refused.raised.value().signature.cause == cause_of_unplaced("hourly"));
  CHECK_THAT(refused.raised->what.text, Catch::Contains("it makes no tasks"));
  known.refusals = {3};
  CHECK_FALSE(decide(put_of(each_hour(), "night.toml"), known).raised);
  known.definition = &d;
  known.damages = {4};
  CHECK(decide(put_of(each_hour(), "night.toml"), known).over == std::vector<std::uint64_t>{3, 4});
}

TEST_CASE("deciding: a schedule is paused once, and resumed once") {
  const auto there = begun_hourly();
  const auto paused = acted(schedule_act::pause, there);
  CHECK(paused.put.value().paused_by == "ann");
  CHECK(paused.done == "paused schedule `hourly`");
  CHECK_THAT(acted(schedule_act::pause, *paused.put).said.why, Catch::Contains("already paused by ann: a test"));
  CHECK(acted(schedule_act::resume, *paused.put).put.value().paused_by.empty());
  CHECK(acted(schedule_act::resume, there).said.result == write_status::refused);
  const auto absent = decide(act_of_ann(schedule_act::pause), nullptr, that_makes({}));
  CHECK(absent.said.result == write_status::absent);
}

TEST_CASE("deciding: a schedule that is run makes a task now, or says why not") {
  const auto there = begun_hourly();
  const auto ran = acted(schedule_act::run, there);
  CHECK(ran.said.made == 1);
  CHECK(ran.put.value().last_task == 3);
  CHECK(acted(schedule_act::run, there, {false, false, {}, "full"}).is_full);
  CHECK(acted(schedule_act::run, there, {false, true, {}, "no such workflow"}).said.why == "no such workflow");
  const auto removed = acted(schedule_act::remove, there);
  CHECK(removed.is_removed);
  CHECK_FALSE(removed.put);
  CHECK(removed.over == cause_of_schedule("hourly"));
  CHECK(removed.over_by == "ann");
  const auto well_again = acted(schedule_act::run, with_fate(moment_fate::refused));
  CHECK(well_again.over == cause_of_refused("hourly"));
  CHECK(well_again.over_by == moved_on);
  CHECK(ran.over.empty());
}

TEST_CASE("deciding: a schedule that is served makes what is due, and tells of the first refusal and of its end") {
  const workflow::made_task no_workflow{false, true, {}, "no such workflow"};
  const auto first = serve(begun_hourly(), at(0) + 1h, that_makes(no_workflow));
  CHECK_THAT(first.raised.value().what.text, Catch::Contains("could not make its task: no such workflow"));
  CHECK(first.over.empty());
  const auto second = serve(first.put, at(0) + 2h, that_makes(no_workflow));
  CHECK_FALSE(second.raised);
  CHECK(second.over.empty());
  const auto third = serve(second.put, at(0) + 3h, that_makes({true, true, {true, 3, "t"}, {}}));
  CHECK_FALSE(third.raised);
  CHECK(third.over == cause_of_refused("hourly"));
  CHECK(third.put.last_task == 3);
  CHECK(serve(third.put, at(0) + 4h, that_makes({true, true, {true, 4, "u"}, {}})).over.empty());
}

TEST_CASE("deciding: after a refusal, a moment for which no task is made does not end the incident") {
  auto needs = that_makes({});
  needs.before = [](std::uint64_t) { return workflow::task_before{true, 3, "t"}; };
  const auto served = serve(with_fate(moment_fate::refused), at(0) + 1h, needs);
  REQUIRE(served.put.notes.back().fate == moment_fate::skipped);
  CHECK(served.over.empty());
  CHECK_FALSE(served.raised);
}

TEST_CASE("deciding: who runs a schedule while its task is open is told whether another moment is queued") {
  auto there = begun_hourly();
  there.what.rule = GENERATE(workflow::overlap::skip, workflow::overlap::queue);
  auto needs = that_makes({});
  needs.before = [](std::uint64_t) { return workflow::task_before{true, 3, "t"}; };
  const auto run = [&] {
    auto a = decide(act_of_ann(schedule_act::run), &there, needs);
    there = a.put.value_or(there);
    return a.said;
  };
  const auto first = run();
  if (there.what.rule == workflow::overlap::skip) {
    CHECK(first.why == "task `t` of the schedule is not over, and its overlap is skip");
    return;
  }
  CHECK(first.result == write_status::applied);
  CHECK(run().why == "task `t` of the schedule is not over, and another moment is queued already");
}

TEST_CASE("deciding: the causes of all incidents of a schedule begin with what names the schedule") {
  CHECK(alert_of_damaged_schedule("hourly", at(2)).signature.cause == cause_of_damaged("hourly"));
  for (const auto& cause : {cause_of_unplaced("hourly"), cause_of_refused("hourly"), cause_of_damaged("hourly")})
    CHECK(cause.starts_with(cause_of_schedule("hourly")));
}

TEST_CASE("deciding: the task of a moment has an id made of the schedule and the moment") {
  const auto s = begun_hourly();
  CHECK(submission_of(s.what, s.next_at).id == workflow::task_id_of("hourly", s.next_at));
  CHECK(submission_of(s.what, s.next_at).workflow == "delivery");
}

TEST_CASE("deciding: what a submission says is what became of a moment") {
  answer<submit_task> o = applied();
  o.number = 3;
  auto made = made_of(o, "t");
  CHECK(made.is_made);
  CHECK(made.task.is_open);
  CHECK(made.task.number == 3);
  o.state = workflow::process_state::processed;
  CHECK_FALSE(made_of(o, "t").task.is_open); // it was there, and is over
  made = made_of(turned_down(write_status::full, "full"), "t");
  CHECK_FALSE(made.is_made);
  CHECK_FALSE(made.has_room); // it may be made later
  made = made_of(turned_down(write_status::refused, "no"), "t");
  CHECK(made.has_room);
  CHECK(made.why == "no");
  CHECK(is_open_for_schedules(workflow::process_state::error)); // a person has to see to it
  CHECK(cancelled_for_next().person.who == "(schedule)");
}
