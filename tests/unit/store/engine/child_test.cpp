// Steps that start tasks: what is stored with what, and what the two tell each other.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

workflow::step_definition starting(const std::string& name, const std::string& of, const std::string& pointer = {}) {
  workflow::step_definition s;
  s.name = name;
  s.wait.emplace();
  s.wait->what = workflow::wait_rule::kind::child;
  s.wait->name = of;
  s.wait->at.pointer = pointer;
  return s;
}

/// `trip` books a conference, which is a task of its own, and then a hotel.
register_definition trip(std::size_t conferences = 1) {
  workflow::definition d;
  d.name = "trip";
  for (std::size_t i = 0; i < conferences; ++i) {
    d.steps.push_back(starting("conference" + (i == 0 ? "" : std::to_string(i)), "conference", "/conference"));
    d.steps.back().after.emplace();
  }
  d.steps.push_back(step_named("hotel"));
  d.steps.back().after = {"conference"};
  return {d};
}

register_definition conference() {
  workflow::definition d;
  d.name = "conference";
  d.steps = {step_named("seat")};
  d.result.value = workflow::source{workflow::source::kind::result, "seat", "/number", {}};
  return {d};
}

submit_task trip_of(const std::string& id) {
  workflow::submission s;
  s.id = id;
  s.workflow = "trip";
  s.payload = workflow::blob{R"({"conference":{"name":"C++"}})"};
  return {s, at(0)};
}

struct agency {
  opened_store store;
  std::int64_t seconds = 1;

  explicit agency(std::size_t conferences = 1) {
    REQUIRE(store.one(trip(conferences)).result == write_status::applied);
    REQUIRE(store.one(conference()).result == write_status::applied);
  }

  answer<claim_tasks> claim(std::size_t max = 100) { return store.one(claim_tasks{"s1", max, at(seconds++)}); }

  answer<update_task> raise(const std::string& id, const workflow::event& e) {
    const auto t = *store->find(id);
    const auto d = *store->find_definition(t.workflow, t.version);
    auto w = update_by(t, d, e, at(seconds++));
    auto o = store.one(std::move(w));
    INFO(o.why);
    REQUIRE(o.result == write_status::applied);
    return o;
  }
  workflow::attempt_ref ref(const std::string& id, std::size_t step = 0) {
    const auto t = *store->find(id);
    return {step, t.steps[step].attempt, t.lock_epoch};
  }
  answer<update_task> succeed(const std::string& id, std::size_t step = 0,
                              const std::string& result = "{\"number\":7}") {
    return raise(id, workflow::attempt_succeeded{ref(id, step), workflow::blob{result}, {}});
  }
  answer<update_task> refuse(const std::string& id, std::size_t step = 0) {
    return raise(id, workflow::attempt_failed{ref(id, step), true, false, {}, "no room"});
  }
  std::string state(const std::string& id) { return std::string{workflow::to_string(store->find(id)->state)}; }
  std::string state(const std::string& id, std::size_t step) {
    return std::string{workflow::to_string(store->find(id)->steps[step].state)};
  }
  void expect_whole() { CHECK(store->check().faults == std::vector<std::string>{}); }

  /// The trip `t` waits for its conference, which is at work.
  void begin() {
    store.one(trip_of("t"));
    claim();
    claim();
  }
};

const workflow::by eve{"eve", "a test"};

} // namespace

TEST_CASE("row 124: a child is stored in the commit in which its parent begins to wait, and ends its wait likewise") {
  agency x;
  x.store.one(trip_of("t"));
  const auto taken = x.claim();
  CHECK(taken.tasks.empty());              // it only waits
  CHECK(taken.others.numbers.size() == 2); // of it and its child
  CHECK(taken.next <= at(x.seconds));      // there is a task to claim
  REQUIRE(x.store->find("t/conference"));
  CHECK(x.state("t", 0) == "waiting");
  CHECK(x.store->find("t/conference")->payload.view() == R"({"name":"C++"})");
  x.expect_whole();
  REQUIRE(x.claim().tasks.size() == 1);
  const auto o = x.succeed("t/conference");
  CHECK(o.others.numbers == std::vector<std::uint64_t>{x.store->find("t")->number});
  CHECK(x.state("t", 0) == "completed");
  CHECK(x.store->find("t")->steps[0].result.view() == "7");
  x.expect_whole();
  x.claim();
  CHECK(x.state("t", 1) == "running");
}

TEST_CASE("row 124: a child that is undone fails its parent's step, in one commit") {
  agency x;
  x.begin();
  x.refuse("t/conference");
  CHECK(x.state("t/conference") == "undone");
  CHECK(x.state("t", 0) == "failed");
  CHECK(x.state("t") == "undone");
  x.expect_whole();
}

TEST_CASE("row 124: a child that cannot be made fails its step and leaves nothing behind") {
  opened_store store;
  REQUIRE(store.one(trip()).result == write_status::applied);
  store.one(trip_of("t"));
  store.one(claim_tasks{"s1", 1, at(1)});
  CHECK(store->find("t")->state == workflow::process_state::undone);
  CHECK_THAT(store->find("t")->cause, Catch::Contains("there is no workflow conference"));
  CHECK_FALSE(store->find("t/conference"));
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a submission whose child could not begin with what it would be given is refused, and nothing is stored") {
  agency x;
  auto picky = conference();
  picky.what.version = 2;
  picky.what.steps[0].input = {{"name", {workflow::source::kind::payload, {}, "/name", {}}}};
  REQUIRE(x.store.one(picky).result == write_status::applied);
  auto w = trip_of("t");
  w.what.payload = workflow::blob{R"({"conference":{"title":"C++"}})"};
  const auto before = x.store->counts().last_number;
  const auto o = x.store.one(w);
  CHECK(o.result == write_status::refused);
  CHECK(o.why
        == "the task of workflow `conference` that step `conference` starts could not begin: payload has no value at "
           "\"/name\", which step `seat` needs for its input member `name`");
  CHECK_FALSE(x.store->find("t"));
  CHECK(x.store->counts().last_number == before);
  w.what.payload = trip_of("t").what.payload;
  w.what.not_before = at(1000);
  CHECK(x.store.one(w).result == write_status::applied);
  const auto there = *x.store->find("t");
  w.what.payload = workflow::blob{R"({"conference":{}})"};
  w.what.conflict = workflow::on_conflict::replace;
  CHECK(x.store.one(w).result == write_status::refused);
  CHECK(*x.store->find("t") == there);
  x.expect_whole();
}

TEST_CASE("row 124: another task with the id of a child is not taken for it") {
  agency x;
  workflow::submission s;
  s.id = "t/conference";
  s.workflow = "conference";
  s.payload = workflow::blob{"{}"};
  x.store.one(submit_task{s, at(0)});
  x.store.one(trip_of("t"));
  x.claim();
  CHECK(x.state("t") == "undone");
  CHECK_THAT(x.store->find("t")->cause, Catch::Contains("another task has the id"));
  x.expect_whole();
}

TEST_CASE("row 125: undo of a parent undoes the child that ended well, and goes on when that was undone") {
  agency x;
  x.begin();
  x.succeed("t/conference");
  x.claim();
  x.refuse("t", 1); // the hotel
  CHECK(x.state("t") == "undoing");
  CHECK(x.state("t", 0) == "compensating");
  CHECK(x.state("t/conference") == "undoing");
  CHECK_THAT(x.store->find("t/conference")->acts.back().who, Catch::Contains("its parent `t`"));
  x.expect_whole();
  x.store.reopen();
  x.claim();
  x.succeed("t/conference");
  CHECK(x.state("t/conference") == "undone");
  CHECK(x.state("t", 0) == "compensated");
  CHECK(x.state("t") == "undone");
  x.expect_whole();
}

TEST_CASE("row 125: cancel of a parent goes down to the child at work") {
  agency x;
  x.begin();
  x.raise("t", workflow::cancelled{eve});
  x.claim();
  CHECK(x.state("t/conference") == "undoing");
  x.raise("t/conference", workflow::attempt_stopped{x.ref("t/conference"), false});
  CHECK(x.state("t/conference") == "undone");
  CHECK(x.state("t") == "undone");
  x.expect_whole();
}

TEST_CASE("row 126: a child in error is one incident with its parent, which is over when a person helps it") {
  agency x;
  x.begin();
  x.raise("t/conference", workflow::undo_requested{eve});
  x.raise("t/conference", workflow::attempt_succeeded{x.ref("t/conference"), workflow::blob{"1"}, {}});
  x.claim();
  x.refuse("t/conference"); // its undo
  REQUIRE(x.state("t/conference") == "error");
  CHECK(x.state("t", 0) == "waiting");
  CHECK(x.store->find("t")->steps[0].wait_alerted);
  const auto incidents = x.store->incidents(false, std::nullopt, 10).incidents;
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].tasks == 2);
  CHECK(incidents[0].alerts >= 2);
  x.expect_whole();
  x.raise("t/conference", workflow::step_retried{0, false, eve});
  CHECK_FALSE(x.store->find("t")->steps[0].wait_alerted);
  x.claim();
  x.succeed("t/conference");
  CHECK(x.state("t/conference") == "undone");
  CHECK(x.state("t") == "undone");
  CHECK(x.store->incidents(false, std::nullopt, 10).incidents[0].closed_at != workflow::unset);
  x.expect_whole();
}

TEST_CASE("row 126: a child whose undo fails puts its parent into error, and one incident names both") {
  agency x;
  x.begin();
  x.succeed("t/conference");
  x.claim();
  x.refuse("t", 1);
  x.claim();
  x.refuse("t/conference");
  CHECK(x.state("t/conference") == "error");
  CHECK(x.state("t", 0) == "compensation_failed");
  CHECK_THAT(x.store->find("t")->steps[0].error, Catch::Contains("step `seat`: no room"));
  CHECK(x.state("t") == "error");
  const auto incidents = x.store->incidents(false, std::nullopt, 10).incidents;
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].tasks == 2);
  CHECK_THAT(incidents[0].sample_text, Catch::Contains("its parent is `t`"));
  x.expect_whole();
  x.raise("t/conference", workflow::step_retried{0, false, eve});
  x.claim();
  x.succeed("t/conference");
  CHECK(x.state("t/conference") == "undone");
  CHECK(x.state("t") == "undone");
  x.expect_whole();
}

TEST_CASE("row 124: more children than one write makes are made by the claims that follow, also after a crash") {
  constexpr std::size_t many = 450;
  agency x{many};
  x.store.one(trip_of("t"));
  x.claim(1);
  const auto made = [&] { return x.store->counts().last_number - 1; };
  CHECK(made() == 200);
  x.expect_whole();
  x.store.reopen();
  x.claim(0 + 1);
  CHECK(made() == 400);
  x.expect_whole();
  x.claim(1);
  CHECK(made() == many);
  x.expect_whole();
  x.raise("t", workflow::cancelled{eve});
  x.claim(1);
  x.expect_whole();
}

TEST_CASE("row 127: a child leaves the store with its parent and not before") {
  agency x;
  x.begin();
  x.succeed("t/conference");
  purge_ended purge;
  purge.workflow = "conference";
  purge.keep.keep_for = std::chrono::seconds{1};
  purge.max = 10;
  purge.now = at(1000);
  CHECK(x.store.one(purge).purged == 0);
  REQUIRE(x.store->find("t/conference"));
  x.claim();
  x.succeed("t", 1);
  REQUIRE(x.state("t") == "processed");
  CHECK(x.store.one(purge).purged == 0);
  purge.workflow = "trip";
  CHECK(x.store.one(purge).purged == 1);
  CHECK_FALSE(x.store->find("t"));
  CHECK_FALSE(x.store->find("t/conference"));
  x.expect_whole();
}

namespace {

/// A tour has a hotel at work, so that a scheduler has it, and waits for an event; then comes a conference.
struct tour : agency {
  tour() {
    workflow::definition d;
    d.name = "tour";
    d.steps.emplace_back().name = "answer";
    auto& wait = d.steps.back().wait.emplace();
    wait.what = workflow::wait_rule::kind::event;
    wait.name = "answered";
    wait.length = std::chrono::hours{1};
    wait.at.pointer = "/conference/name";
    d.steps.push_back(starting("guide", "conference", "/conference"));
    d.steps.back().after = {"answer"};
    d.steps.push_back(step_named("hotel"));
    for (auto* s : {&d.steps[0], &d.steps[2]})
      s->after.emplace();
    const auto o = store.one(register_definition{d});
    INFO(o.why);
    REQUIRE(o.result == write_status::applied);
  }

  void submit() {
    auto w = trip_of("t");
    w.what.workflow = "tour";
    store.one(w);
    begin("t");
  }
  void begin(const std::string& id) {
    claim();
    REQUIRE(state(id, 0) == "waiting");
    REQUIRE(store->find(id)->locked_by == "s1");
  }
  answer<send_event> answered(const std::string& id, bool to_one) {
    send_event w;
    w.name = "answered";
    if (to_one)
      w.task_id = id;
    else
      w.key = "C++";
    w.data = "{}";
    w.who = "guest";
    w.now = at(seconds++);
    return store.one(std::move(w));
  }
  std::uint64_t number(const std::string& id) { return store->find(id)->number; }
};

std::vector<std::uint64_t> told_of(const other_changes& others, const std::string& scheduler = "s1") {
  std::vector<std::uint64_t> numbers;
  for (const auto& x : others.locked)
    if (x.scheduler == scheduler)
      numbers.push_back(x.number);
  return numbers;
}

} // namespace

TEST_CASE("row 124: a child that an event starts is told with it, and the scheduler of the parent is") {
  for (const bool to_one : {false, true}) {
    tour x;
    x.submit();
    const auto o = x.answered("t", to_one);
    REQUIRE(o.taken == 1);
    REQUIRE(x.state("t", 1) == "waiting");
    const auto child = x.number("t/guide");
    CHECK(std::count(o.others.numbers.begin(), o.others.numbers.end(), child) == 1);
    const auto told = told_of(o.others);
    CHECK(std::count(told.begin(), told.end(), x.number("t")) >= 1);
    x.expect_whole();
  }
}

TEST_CASE("row 125: the scheduler of a task that a schedule cancels is told, also when a person runs it") {
  for (const bool by_hand : {false, true}) {
    tour x;
    workflow::schedule s;
    s.name = "daily";
    s.workflow = "tour";
    s.payload = trip_of("t").what.payload;
    s.every = std::chrono::hours{24};
    s.rule = workflow::overlap::cancel;
    REQUIRE(x.store.one(put_schedule{s, {}, at(0)}).result == write_status::applied);
    const auto first = x.store->find_schedule("daily")->next_at;
    const auto day = std::chrono::duration_cast<std::chrono::seconds>(first - at(0)).count();
    REQUIRE(x.store.one(fire_schedules{10, {}, at(day)}).made == 1);
    x.seconds = day + 1;
    const auto id = workflow::task_id_of("daily", first);
    x.begin(id);
    x.answered(id, true);
    x.claim();
    REQUIRE(x.state(id + "/guide") == "processing");
    const auto others =
      by_hand ? x.store.one(act_on_schedule{"daily", schedule_act::run, "eve", "a test", at(day + 60)}).others
              : x.store.one(fire_schedules{10, {}, at(day + 24 * 3600)}).others;
    REQUIRE(x.state(id) == "undoing");
    const auto told = told_of(others);
    CHECK(std::count(told.begin(), told.end(), x.number(id)) == 1);
    x.expect_whole();
  }
}

TEST_CASE("row 127: the scheduler of a parent is told when its child is imported") {
  tour there;
  there.submit();
  there.answered("t", true);
  const auto parent = *there.store->export_task("t");
  there.claim();
  there.succeed("t/guide");
  const auto child = *there.store->export_task("t/guide");
  REQUIRE(child.task.state == workflow::process_state::processed);

  tour here;
  REQUIRE(here.store.one(import_task{parent, "eve", "a test", at(50)}).result == write_status::applied);
  here.seconds = 60;
  here.raise("t", workflow::resumed{eve});
  here.claim();
  REQUIRE(here.state("t", 1) == "waiting");
  REQUIRE(here.store->find("t")->locked_by == "s1");
  const auto o = here.store.one(import_task{child, "eve", "a test", at(70)});
  INFO(o.why);
  REQUIRE(o.result == write_status::applied);
  CHECK(here.state("t", 1) == "completed");
  CHECK(told_of(o.others) == std::vector{here.number("t")});
}
