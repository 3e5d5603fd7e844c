// What becomes of incidents, and of definitions that people must be told of, without a disk.

#include "tests/unit/store/support.hpp"

#include "store/verbs/decide_definition.hpp"
#include "store/verbs/decide_incident.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

const workflow::incident_signature of_service{"error", "pay", "order", "pay", "HTTP 503"};

raised_alert raised_at(std::int64_t seconds) {
  return {7, "a", {"error", "HTTP 503", "pay", at(seconds)}, of_service};
}

incident opened_at(std::int64_t seconds) {
  auto x = opened_by(raised_at(seconds), 3);
  join(x, raised_at(seconds), true);
  return x;
}

workflow::system_condition condition(const std::string& kind, const std::string& text) {
  return {{kind, {}, {}, {}, {}}, text};
}

incident of_condition(std::uint64_t number, const std::string& kind) {
  incident x;
  x.number = number;
  x.what = condition(kind, {}).what;
  x.is_condition = true;
  return x;
}

workflow::definition order_by_agent(const std::string& agent) {
  workflow::definition d;
  d.name = "order";
  d.steps.emplace_back();
  d.steps.back().name = "pay";
  d.steps.back().agent = agent;
  return d;
}

} // namespace

TEST_CASE("deciding: an incident counts its alerts and tasks, and the last that leaves closes it") {
  auto x = opened_at(1);
  CHECK(x.number == 3);
  CHECK(x.first_at == at(1));
  CHECK(x.sample_task == "a");
  join(x, raised_at(5), false);
  join(x, raised_at(6), true);
  CHECK(x.alerts == 3);
  CHECK(x.tasks == 2);
  CHECK(x.last_at == at(6));

  leave(x, false, at(4));
  leave(x, true, at(4));
  CHECK(x.closed_at == workflow::unset);
  CHECK(x.tasks == 1);
  leave(x, true, at(4));
  CHECK(x.closed_at == at(6)); // not before its last alert
  CHECK(x.tasks == 0);
  CHECK(x.tasks_ever == 2);
}

TEST_CASE("deciding: what flaps is one incident, which must be acknowledged again") {
  auto x = opened_at(1);
  CHECK(goes_on_with(x, at(100'000)));
  x.acknowledged_at = at(2);
  x.acknowledged_by = "ann";
  leave(x, true, at(10));
  CHECK(goes_on_with(x, at(10) + workflow::incident_reopens_within));
  CHECK_FALSE(goes_on_with(x, at(11) + workflow::incident_reopens_within));
  const auto times = x.times;
  auto anew = raised_at(20);
  anew.task_id = "b";
  anew.what.text = "HTTP 503: another reason";
  join(x, anew, true);
  CHECK(x.first_at == at(20)); // it is told as it is now
  CHECK(x.sample_task == "b");
  CHECK(x.sample_text == "HTTP 503: another reason");
  join(x, raised_at(21), true);
  CHECK(x.first_at == at(20));
  CHECK(x.sample_task == "b");
  CHECK(x.closed_at == workflow::unset);
  CHECK(x.acknowledged_at == workflow::unset);
  CHECK(x.acknowledged_by.empty());
  CHECK(x.times == times + 1);
}

TEST_CASE("deciding: what a person does to an incident is kept, the first word of it stands") {
  const auto x = opened_at(1);
  act_on_incident w{3, incident_act::acknowledge, workflow::never, "ann", "on it", 1000, at(5)};
  CHECK(decide(w, nullptr).said.result == write_status::absent);
  const auto seen = decide(w, &x);
  CHECK(seen.is_acknowledged);
  CHECK(seen.put.value().acknowledged_by == "ann");
  CHECK(seen.put->acts.back().why == "on it");
  const auto next_part = decide(w, &*seen.put);
  CHECK(next_part.is_acknowledged); // there may be more alerts by now
  CHECK_FALSE(next_part.put);
  w.who = "bob";
  const auto again = decide(w, &*seen.put);
  CHECK(again.is_acknowledged);
  CHECK(again.put.value().acknowledged_by == "ann");
  CHECK(again.put->acts.size() == 2);
  CHECK(again.put->acts.back().who == "bob");

  w.act = incident_act::mute;
  w.until = at(99);
  const auto muted = decide(w, &x);
  CHECK(muted.put.value().muted_until == at(99));
  CHECK_FALSE(muted.is_acknowledged);
  w.act = incident_act::unmute;
  CHECK(decide(w, &*muted.put).put.value().muted_until == workflow::unset);
  w.act = incident_act::note;
  auto noted = decide(w, &x).put.value();
  for (std::size_t i = 0; i < incident_acts_max; ++i)
    noted = decide(w, &noted).put.value();
  CHECK(noted.acts.size() == incident_acts_max);
  w.why.clear();
  CHECK(decide(w, &x).said.result == write_status::refused);
}

TEST_CASE("deciding: conditions that are new are raised, those that are gone are over") {
  report_conditions w;
  w.now = at(9);
  w.hold = {condition("agents_full", "9 of 9"), condition("behind", "an hour")};
  const auto d = decide(w, {of_condition(1, "agents_full"), of_condition(2, "no_agent")});
  CHECK(d.said.raised == 1);
  REQUIRE(d.raised.size() == 1);
  CHECK(d.raised[0].what.kind == "behind");
  CHECK(d.raised[0].is_condition);
  CHECK(d.over == std::vector<std::uint64_t>{2});
  REQUIRE(d.put.size() == 1);
  CHECK(d.put[0].number == 1);
  CHECK(d.put[0].sample_text == "9 of 9"); // in the words of now
}

TEST_CASE("deciding: a definition is registered once, and a file that differs is told of once") {
  const auto known = order_by_agent("pay");
  register_definition w{known, "order.toml", at(1)};
  const auto first = decide(w, {});
  CHECK(first.is_put);
  CHECK(first.said.created);
  const auto again = decide(w, {&known, {}, {4}, {}});
  CHECK(again.said.result == write_status::applied);
  CHECK_FALSE(again.is_put);
  CHECK_FALSE(again.said.created);
  CHECK(again.over == std::vector<std::uint64_t>{4}); // the file was mended

  w.what = order_by_agent("charge");
  const auto other = decide(w, {&known, {}, {}, {}});
  CHECK(other.said.result == write_status::refused);
  CHECK_FALSE(other.is_put);
  CHECK(other.raised.value().what.kind == changed_workflow);
  CHECK_FALSE(decide(w, {&known, {}, {4}, {}}).raised);
  w.file.clear();
  CHECK_FALSE(decide(w, {&known, {}, {}, {}}).raised); // a program is told by the answer
}

TEST_CASE("deciding: a definition that was damaged is stored again, and people are asked to look at it") {
  const register_definition w{order_by_agent("pay"), "order.toml", at(1)};
  const auto d = decide(w, {nullptr, "its check is wrong", {}, {5}});
  CHECK(d.is_put);
  CHECK(d.over == std::vector<std::uint64_t>{5});
  CHECK(d.raised.value().what.kind == "restored");
  CHECK(d.raised->what.text.find("its check is wrong") != std::string::npos);
}

TEST_CASE("deciding: only a task whose own records are damaged is set aside") {
  const set_aside_damaged w{7, "its check is wrong", at(1)};
  CHECK(decide(w, known_damage{}).said.result == write_status::absent);
  CHECK(decide(w, {true, true, {}, false, {}}).said.result == write_status::refused);
  const auto of_definition = decide(w, {true, false, "the definition is damaged", false, {}});
  CHECK_FALSE(of_definition.leaves);
  CHECK(of_definition.raised.value().what.kind == damaged_workflow);
  CHECK_FALSE(decide(w, {true, false, "the definition is damaged", true, {}}).raised);
  const auto damaged = decide(w, {true, false, {}, false, "a"});
  CHECK(damaged.said.result == write_status::applied);
  CHECK(damaged.leaves);
  CHECK(damaged.raised.value().task_number == 7);
  CHECK(damaged.raised->task_id == "a");
}

TEST_CASE("deciding: of the oldest incidents a few that are closed are dropped, and none that is open") {
  std::vector<incident> oldest;
  for (std::uint64_t number = 1; number <= 12; ++number) {
    oldest.push_back(of_condition(number, "full"));
    if (number % 2 == 0)
      oldest.back().closed_at = at(1);
  }
  std::vector<std::uint64_t> dropped;
  for (const auto& x : incidents_to_drop(oldest))
    dropped.push_back(x.number);
  CHECK(dropped == std::vector<std::uint64_t>{2, 4, 6, 8});
  CHECK(incidents_to_drop({of_condition(1, "full")}).empty());
}

TEST_CASE("deciding: the workflow of a step's items is stored under a name that no other has") {
  auto made = order_by_agent("pay");
  CHECK_FALSE(name_taken(made, nullptr));
  const auto there = made;
  CHECK_FALSE(name_taken(made, &there));
  made.steps[0].agent = "another";
  CHECK_THAT(name_taken(made, &there).value().why, Catch::Contains("give the step another name"));
}
