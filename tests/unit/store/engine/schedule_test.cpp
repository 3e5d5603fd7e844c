// Schedules in a whole store: what a write of the supervisor makes, and what is left by crashes and second supervisors.

#include "store/verbs/decide_schedule.hpp"
#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/time/time_text.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace std::chrono_literals;

namespace {

/// at(0) is 22:13:20 by UTC; the first hour that is full comes 2800 s later.
constexpr std::int64_t full_hour = 2800;
constexpr std::int64_t an_hour = 3600;

workflow::schedule hourly_schedule(const std::string& name = "hourly",
                                   workflow::overlap rule = workflow::overlap::skip) {
  workflow::schedule s;
  s.name = name;
  s.workflow = "delivery";
  s.every = 1h;
  s.rule = rule;
  return s;
}

answer<put_schedule> put(opened_store& store, const workflow::schedule& s, std::int64_t seconds = 0) {
  return store.one(put_schedule{s, {}, at(seconds)});
}

answer<fire_schedules> fire(opened_store& store, std::int64_t seconds, std::uint32_t max = 100) {
  return store.one(fire_schedules{max, {}, at(seconds)});
}

answer<act_on_schedule> act(opened_store& store, schedule_act what, std::int64_t seconds = 1) {
  return store.one(act_on_schedule{"hourly", what, "ann", "because", at(seconds)});
}

std::size_t tasks_in(opened_store& store) {
  return store->list({}, std::nullopt, 1000).tasks.size();
}

std::string id_at(std::int64_t seconds, const std::string& name = "hourly") {
  return workflow::task_id_of(name, at(seconds));
}

workflow::schedule_state state_in(opened_store& store, const std::string& name = "hourly") {
  return store->find_schedule(name).value();
}

/// The task ends as undone.
void end_task(opened_store& store, const std::string& id, std::int64_t seconds) {
  const auto t = store->find(id).value();
  const auto d = store->find_definition(t.workflow, t.version).value();
  auto change = workflow::apply(t, d, workflow::cancelled{{"ann", {}}}, at(seconds));
  REQUIRE(change.next.state == workflow::process_state::undone);
  update_task u;
  u.lock_epoch_before = t.lock_epoch;
  u.next = std::move(change.next);
  REQUIRE(store.one(u).result == write_status::applied);
}

void expect_sound(opened_store& store) {
  CHECK(store->check().faults == std::vector<std::string>{});
}

} // namespace

TEST_CASE("row 120: a moment and its task are one commit, so that a crash neither loses nor repeats it") {
  opened_store store;
  REQUIRE(put(store, hourly_schedule()).result == write_status::applied);
  expect_sound(store);
  CHECK(fire(store, full_hour - 1).made == 0);
  CHECK(fire(store, full_hour - 1).next == at(full_hour));
  const auto first = fire(store, full_hour + 1);
  CHECK(first.made == 1);
  CHECK(first.others.numbers.size() == 1);
  CHECK(first.next == at(full_hour + an_hour));
  CHECK_FALSE(first.more);
  store.reopen();
  CHECK(fire(store, full_hour + 2).made == 0);
  const auto t = store->find(id_at(full_hour));
  REQUIRE(t);
  CHECK(t->workflow == "delivery");
  CHECK(state_in(store).last_task == t->number);
  CHECK(state_in(store).made == 1);
  expect_sound(store);
}

TEST_CASE("P45: an id that is there already makes no second task, and one of another is told") {
  opened_store store;
  put(store, hourly_schedule());
  auto same = order(id_at(full_hour));
  REQUIRE(store.one(submit_task{same, at(1)}).created);
  CHECK(fire(store, full_hour).made == 0);
  CHECK(tasks_in(store) == 1);
  CHECK(state_in(store).notes.back().fate == workflow::moment_fate::made);

  auto other = order(id_at(full_hour + an_hour), R"({"other":1})");
  REQUIRE(store.one(submit_task{other, at(1)}).created);
  end_task(store, id_at(full_hour), full_hour + 1);
  CHECK(fire(store, full_hour + an_hour).made == 0);
  CHECK(state_in(store).notes.back().fate == workflow::moment_fate::refused);
  const auto open = store->alerts(true, 10);
  REQUIRE(open.size() == 1);
  CHECK(open.front().what.kind == "schedule");
  expect_sound(store);
}

TEST_CASE("row 121: a supervisor that lost its lease makes no task") {
  opened_store store;
  put(store, hourly_schedule());
  const auto first = store.one(acquire_lease{"supervisor", "a", "", 5s, at(0)});
  const auto second = store.one(acquire_lease{"supervisor", "b", "", 2h, at(10)});
  REQUIRE(second.epoch > first.epoch);
  const auto by = [&](std::uint64_t epoch, std::int64_t seconds) {
    return store.one(fire_schedules{10, lease_guard{"supervisor", epoch}, at(seconds)});
  };
  CHECK(by(first.epoch, full_hour).result == write_status::stale_epoch);
  CHECK(tasks_in(store) == 0);
  CHECK(by(second.epoch, full_hour).made == 1);
  CHECK(by(second.epoch, full_hour + 3 * an_hour).result == write_status::stale_epoch); // it has ended
  CHECK(tasks_in(store) == 1);
}

TEST_CASE("row 122: after hours without a supervisor the newest moment is served and the others are told") {
  opened_store store;
  put(store, hourly_schedule());
  CHECK(fire(store, full_hour + 5 * an_hour + 60).made == 1);
  CHECK(store->find(id_at(full_hour + 5 * an_hour)));
  CHECK(tasks_in(store) == 1);
  CHECK(state_in(store).notes.front().fate == workflow::moment_fate::missed);
}

TEST_CASE("row 123: a clock that was an hour ahead makes no moment come twice") {
  opened_store store;
  put(store, hourly_schedule("hourly", workflow::overlap::allow));
  CHECK(fire(store, full_hour + an_hour).made == 1);
  for (std::int64_t s = full_hour; s < full_hour + 2 * an_hour; s += 600)
    CHECK(fire(store, s).made == 0);
  CHECK(fire(store, full_hour + 2 * an_hour).made == 1);
  expect_sound(store);
}

TEST_CASE("a task that ends lets the moment that is queued have its turn, as its update says") {
  opened_store store;
  put(store, hourly_schedule("hourly", workflow::overlap::queue));
  fire(store, full_hour);
  CHECK(fire(store, full_hour + an_hour).made == 0);
  CHECK(state_in(store).queued == at(full_hour + an_hour));
  expect_sound(store);
  end_task(store, id_at(full_hour), full_hour + an_hour + 60);
  CHECK(state_in(store).next_at == at(full_hour + an_hour + 60));
  expect_sound(store);
  const auto next = fire(store, full_hour + an_hour + 61);
  CHECK(next.made == 1);
  CHECK(next.next == at(full_hour + 2 * an_hour));
  CHECK(store->find(id_at(full_hour + an_hour)));
  expect_sound(store);
}

TEST_CASE("a task that is still under way is cancelled for the next moment, which waits for its end") {
  opened_store store;
  put(store, hourly_schedule("hourly", workflow::overlap::cancel));
  fire(store, full_hour);
  REQUIRE(store.take("s1", full_hour + 1).id == id_at(full_hour));
  const auto o = fire(store, full_hour + an_hour);
  CHECK(o.made == 0);
  REQUIRE(o.others.locked.size() == 1);
  CHECK(o.others.locked.front().scheduler == "s1");
  CHECK(o.others.numbers.size() == 1);
  CHECK(store->find(id_at(full_hour))->state == workflow::process_state::undoing);
  expect_sound(store);
}

TEST_CASE("a task that waits for its turn is over once it is cancelled for the next moment, whose task is made") {
  opened_store store;
  put(store, hourly_schedule("hourly", workflow::overlap::cancel));
  fire(store, full_hour);
  for (int n = 1; n <= 3; ++n) {
    CHECK(fire(store, full_hour + n * an_hour).made == 1);
    CHECK(store->find(id_at(full_hour + (n - 1) * an_hour))->state == workflow::process_state::undone);
    CHECK(store->find(id_at(full_hour + n * an_hour))->state == workflow::process_state::pending);
    expect_sound(store);
  }
  CHECK(act(store, schedule_act::run, full_hour + 3 * an_hour + 7).made == 1);
  CHECK(state_in(store).queued == workflow::unset);
  expect_sound(store);
}

TEST_CASE("a task in error is not over for its schedule") {
  CHECK(is_open_for_schedules(workflow::process_state::error));
  CHECK(is_open_for_schedules(workflow::process_state::suspended));
  CHECK_FALSE(is_open_for_schedules(workflow::process_state::processed));
  CHECK_FALSE(is_open_for_schedules(workflow::process_state::undone));
}

TEST_CASE("a person pauses, resumes, runs and removes a schedule, and each is noted") {
  opened_store store;
  put(store, hourly_schedule());
  CHECK(act(store, schedule_act::resume).result == write_status::refused);
  REQUIRE(act(store, schedule_act::pause).result == write_status::applied);
  CHECK(state_in(store).paused_by == "ann");
  CHECK(state_in(store).paused_why == "because");
  CHECK(act(store, schedule_act::pause).why == "the schedule was already paused by ann: because");
  CHECK(fire(store, full_hour).next == workflow::never);
  expect_sound(store);
  const auto ran = act(store, schedule_act::run, full_hour + 7);
  REQUIRE(ran.result == write_status::applied);
  CHECK(ran.made == 1);
  CHECK(store->find(id_at(full_hour + 7)));
  const auto again = act(store, schedule_act::run, full_hour + 8);
  CHECK(again.result == write_status::refused);
  CHECK(again.why.find(id_at(full_hour + 7)) != std::string::npos);
  REQUIRE(act(store, schedule_act::resume, full_hour + 9).result == write_status::applied);
  end_task(store, id_at(full_hour + 7), full_hour + 10);
  CHECK(fire(store, full_hour + an_hour).made == 1);
  REQUIRE(act(store, schedule_act::remove, full_hour + an_hour + 1).result == write_status::applied);
  CHECK_FALSE(store->find_schedule("hourly"));
  CHECK(fire(store, full_hour + 2 * an_hour).made == 0);
  CHECK(act(store, schedule_act::remove).result == write_status::absent);
  CHECK(store->alerts(false, 10).size() == 5); // with that somebody ended the task
  CHECK(store->alerts(true, 10).empty());
  expect_sound(store);
}

TEST_CASE("a schedule is refused with what is wrong with it") {
  opened_store store;
  const auto why = [&](auto change) {
    auto s = hourly_schedule();
    change(s);
    const auto o = put(store, s);
    CHECK(o.result == write_status::refused);
    return o.why;
  };
  CHECK(why([](auto& s) { s.workflow = "no_such"; }).find("there is no workflow `no_such`") != std::string::npos);
  CHECK(why([](auto& s) { s.version = 9; }).find("version 9") != std::string::npos);
  CHECK(why([](auto& s) { s.every = 0ms; }).find("either `cron` or `every`") != std::string::npos);
  CHECK(store->schedules({}, 10).empty());
  CHECK(put(store, hourly_schedule()).changed);
  CHECK_FALSE(put(store, hourly_schedule()).changed);
}

TEST_CASE("schedules are served a few at a time, and listed by name") {
  opened_store store;
  for (int i = 0; i < 25; ++i)
    REQUIRE(put(store, hourly_schedule("s" + std::to_string(i / 10) + std::to_string(i % 10))).changed);
  std::uint64_t made = 0;
  int writes = 0;
  for (bool more = true; more; ++writes) {
    const auto o = fire(store, full_hour, 10);
    CHECK(o.made <= 10);
    made += o.made;
    more = o.more;
  }
  CHECK(made == 25);
  CHECK(writes == 3);
  const auto page = store->schedules("s04", 10);
  REQUIRE(page.size() == 10);
  CHECK(page.front().what.name == "s05");
  expect_sound(store);
}

TEST_CASE("schedules and nodes that do not know them are kept apart") {
  opened_store store;
  const std::string note = "address= roles=scheduler agents= knows=waits knows=events";
  const auto older = [&](std::int64_t seconds) {
    return store.one(acquire_lease{"node/old", "old", note, 10s, at(seconds)});
  };
  REQUIRE(older(0).result == write_status::applied);
  CHECK(put(store, hourly_schedule(), 1).result == write_status::refused);
  REQUIRE(put(store, hourly_schedule(), 20).result == write_status::applied);
  CHECK(older(30).result == write_status::refused);
  const auto newer = store.one(acquire_lease{"node/new", "new", note + " knows=schedules", 10s, at(30)});
  CHECK(newer.result == write_status::applied);
}

TEST_CASE("a damaged schedule stops no other, and is told") {
  opened_store store;
  put(store, hourly_schedule("a"));
  put(store, hourly_schedule("b"));
  tamper(store,
         [](lmdb::transaction& txn) { txn.put(*txn.open_table("schedules"), std::string_view{"a"}, "rubbish"); });
  put_schedule question{hourly_schedule("a"), {}, at(0)};
  question.is_question = true;
  CHECK(store.one(question).result == write_status::applied);
  tamper(store, [](lmdb::transaction& txn) {
    CHECK(txn.get(*txn.open_table("schedules"), std::string_view{"a"}) == std::string_view{"rubbish"});
  });
  CHECK(fire(store, full_hour).made == 1);
  CHECK(store->find(id_at(full_hour, "b")));
  CHECK(store->alerts(true, 10).size() == 1);
  CHECK(put(store, hourly_schedule("a"), full_hour + 1).changed);
  expect_sound(store);
}

namespace {

std::vector<incident> incidents_now(opened_store& store) {
  return store->incidents(true, std::nullopt, 10).incidents;
}

put_schedule from_file(const workflow::schedule& s, std::int64_t seconds = 0) {
  return {s, "nightly.toml", at(seconds)};
}

} // namespace

TEST_CASE("a schedule of a file that is refused is one incident, which is over when it is put") {
  opened_store store;
  auto s = hourly_schedule();
  s.workflow = "deliveries";
  for (int i = 0; i < 2; ++i) {
    CHECK(store.one(from_file(s, i)).result == write_status::refused);
    const auto open = incidents_now(store);
    REQUIRE(open.size() == 1);
    CHECK(open[0].alerts == 1);
    CHECK(open[0].what.kind == incident_of_schedule);
    CHECK(open[0].sample_text
          == "nightly.toml: schedule `hourly`: there is no workflow `deliveries`; it makes no tasks: correct it, and "
             "restart the node");
  }
  CHECK(store.one(put_schedule{s, {}, at(2)}).result == write_status::refused); // who asked is told
  CHECK(incidents_now(store)[0].alerts == 1);
  CHECK(store.one(from_file(hourly_schedule("other"), 3)).changed);
  CHECK(incidents_now(store).size() == 1);
  CHECK(store.one(from_file(hourly_schedule(), 4)).changed);
  CHECK(incidents_now(store).empty());
  expect_sound(store);

  REQUIRE_FALSE(store.one(from_file(s, 5)).changed);
  REQUIRE(incidents_now(store).size() == 1);
  CHECK(store->alerts(true, 10).front().what.text.find("it continues as it was") != std::string::npos);
  auto by_hand = hourly_schedule();
  by_hand.priority = 3;
  REQUIRE(store.one(put_schedule{by_hand, {}, at(6)}).changed);
  CHECK(incidents_now(store).empty());
  REQUIRE_FALSE(store.one(from_file(s, 7)).changed);
  REQUIRE(incidents_now(store).size() == 1);
  REQUIRE(act(store, schedule_act::remove, 8).result == write_status::applied);
  CHECK(incidents_now(store).empty());
  expect_sound(store);
}

TEST_CASE("an incident about refused moments is over when a moment has made its task, or when a person says so") {
  opened_store store;
  put(store, hourly_schedule());
  const auto refuse = [&](std::int64_t seconds) {
    REQUIRE(store.one(submit_task{order(id_at(seconds), R"({"other":1})"), at(1)}).created);
    CHECK(fire(store, seconds).made == 0);
    REQUIRE(incidents_now(store).size() == 1);
  };
  refuse(full_hour);
  CHECK(fire(store, full_hour + an_hour).made == 1);
  CHECK(incidents_now(store).empty());
  end_task(store, id_at(full_hour + an_hour), full_hour + an_hour + 1);
  refuse(full_hour + 2 * an_hour);
  act_on_incident seen;
  seen.number = incidents_now(store)[0].number;
  seen.act = incident_act::acknowledge;
  seen.who = "ann";
  seen.now = at(full_hour + 2 * an_hour + 1);
  REQUIRE(store.one(seen).acknowledged == 1);
  CHECK(incidents_now(store).empty());
  expect_sound(store);
}

TEST_CASE("whether a schedule would be taken is said without putting it") {
  opened_store store;
  CHECK(store.one(put_schedule{hourly_schedule(), {}, at(0), true}).result == write_status::applied);
  CHECK_FALSE(store->find_schedule("hourly"));
  auto s = hourly_schedule();
  s.workflow = "deliveries";
  CHECK(store.one(put_schedule{s, {}, at(0), true}).result == write_status::refused);
}
