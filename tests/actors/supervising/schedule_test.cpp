// Schedules under a supervisor: it serves them at their moments, once, over deaths and takeovers of its lease.

#include "tests/actors/one_node.hpp"
#include "tests/actors/shown.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::write_requests;
using tests::one_node;

namespace {

workflow::schedule often(workflow::span every, const std::string& name = "often") {
  workflow::schedule s;
  s.name = name;
  s.workflow = "trip";
  s.every = every;
  s.rule = workflow::overlap::allow;
  return s;
}

void put(one_node& node, const workflow::schedule& s) {
  REQUIRE(node.store().commit_one(store::put_schedule{s, {}, node.now()}).result == store::write_status::applied);
}

workflow::instant next_of(one_node& node, const std::string& name = "often") {
  return node.store().find_schedule(name)->next_at;
}

std::vector<workflow::task> tasks_there(one_node& node) {
  return node.store().list({}, std::nullopt, 1000).tasks;
}

bool fires(const write_requests& m) {
  return std::holds_alternative<store::fire_schedules>(*m.all.at(0).what);
}

} // namespace

TEST_CASE("a schedule's task is made at its moment, and carried out") {
  one_node node;
  put(node, often(1h));
  const auto moment = next_of(node);
  node.advance(moment - node.now() - 1ms);
  CHECK(tasks_there(node).empty());
  node.advance(100ms);
  REQUIRE(tasks_there(node).size() == 1);
  const auto id = tasks_there(node).front().id;
  CHECK(id == workflow::task_id_of("often", moment));
  CHECK(tasks_there(node).front().submitted_at - moment <= 50ms);
  CHECK(node.reaches(id, "processed", 1min));
  node.advance(5h);
  CHECK(tasks_there(node).size() == 6);
}

TEST_CASE("a schedule that is put while the supervisor waits for another is served when its time comes") {
  one_node node;
  put(node, often(24h * 30, "rarely"));
  node.advance(5s);
  put(node, often(10min));
  const auto moment = next_of(node);
  node.advance(moment - node.now() + 61s); // nobody told the supervisor of it
  CHECK(node.store().find_schedule("often")->made == 1);
}

TEST_CASE("row 120: a process that dies as a schedule makes its task leaves both or neither, and none comes twice") {
  one_node node;
  put(node, often(1h));
  const auto moment = next_of(node);
  node.advance(moment - node.now() - 1ms);
  for (int messages = 0; messages < 3; ++messages) { // before the store has it, and after
    node.run_until_next<write_requests>("store_actor", fires);
    node.restart();
  }
  node.advance(30min);
  CHECK(tasks_there(node).size() == 1);
  CHECK(node.store().check().faults == std::vector<std::string>{});
}

TEST_CASE("row 121: a supervisor makes no task of a schedule under a lease that it lost meanwhile") {
  one_node node;
  put(node, often(1h));
  node.advance(next_of(node) - node.now() - 1ms);
  node.run_until_next<write_requests>("store_actor", fires);
  for (const auto& l : node.store().leases({workflow::never}))
    if (l.name == "supervisor")
      node.store().commit({store::release_lease{"supervisor", l.holder, l.epoch},
                           store::acquire_lease{"supervisor", "another", {}, 10min, node.now()}});
  node.advance(9min);
  CHECK(tasks_there(node).empty());
  node.advance(10min); // the other is gone
  CHECK(tasks_there(node).size() == 1);
}

TEST_CASE("row 122: moments that came while nobody supervised are made up for as far as their schedule says") {
  one_node node;
  auto s = often(1h);
  s.catch_up = 100min;
  s.catch_up_max = 5;
  put(node, s);
  node.settings().has_supervisor = false;
  node.restart();
  node.advance(next_of(node) - node.now() + 5h + 30min);
  CHECK(tasks_there(node).empty());
  node.settings().has_supervisor = true;
  node.restart();
  node.advance(30s);
  CHECK(tasks_there(node).size() == 2); // of half an hour ago, and of an hour and a half
}

TEST_CASE("nothing is asked of the store while a node lives that does not know schedules: it may be that one's") {
  one_node node;
  const std::string note = "address= roles=store agents= knows=waits knows=events";
  REQUIRE(node.store().commit_one(store::acquire_lease{"node/old", "old", note, 3h, node.now()}).result
          == store::write_status::applied);
  CHECK_THROWS(node.run_until_next<write_requests>("store_actor", fires));
}
