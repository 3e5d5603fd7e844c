// No workflow keeps another one's tasks waiting, and no scheduler keeps all work to itself.

#include "tests/actors/one_node.hpp"
#include "tests/actors/shown.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::node_settings;
using tests::one_node;
using tests::scripted_agent;

namespace {

workflow::definition of_one_step(const std::string& name, const std::string& step) {
  return tests::pipeline(name, {tests::step_named(step)});
}

/// Bulk work goes to one agent, single tasks to another.
node_settings with_bulk(std::uint32_t in_flight_max) {
  node_settings settings;
  settings.definitions = {of_one_step("bulk", "grind"), of_one_step("single", "mail")};
  settings.in_flight_max = in_flight_max;
  return settings;
}

void submit(one_node& node, const std::string& workflow, const std::string& id) {
  auto s = node.order_for(id);
  s.workflow = workflow;
  node.submit(s);
}

void submit_many(one_node& node, const std::string& workflow, int count) {
  for (int i = 0; i < count; ++i) {
    auto s = node.order_for(workflow + "." + std::to_string(i));
    s.workflow = workflow;
    node.begin_to_submit(s);
  }
  node.run();
}

std::optional<actors::attempt_report> decline(const actors::step_order& o) {
  return tests::report_on(o, actors::report_kind::declined, "circuit for `grind` open");
}

tests::shown_scheduler view_of(one_node& node, std::size_t scheduler = 0) {
  return tests::shown_by_scheduler(node.system(), node.schedulers.at(scheduler));
}

/// What each scheduler took of single tasks that come one after the other.
std::vector<std::uint64_t> taken_in_light_load(one_node& node, int tasks) {
  for (int i = 0; i < tasks; ++i) {
    submit(node, "trip", "t" + std::to_string(i));
    node.advance(1s);
    REQUIRE(node.state("t" + std::to_string(i)) == "processed");
  }
  std::vector<std::uint64_t> taken;
  for (std::size_t i = 0; i < node.schedulers.size(); ++i)
    taken.push_back(view_of(node, i).claimed);
  return taken;
}

} // namespace

TEST_CASE(
  "row 37: where every place is taken by tasks of a workflow whose agent hangs, those of others go through at once") {
  one_node node{with_bulk(1024)};
  node.agent("grind").follow(scripted_agent::hang);
  submit_many(node, "bulk", 1500);
  REQUIRE(node.agent("grind").orders().size() == 1024);
  for (int i = 0; i < 300; ++i) { // more than there are places left
    const auto id = "s" + std::to_string(i);
    submit(node, "single", id);
    node.run(); // without time
    REQUIRE(node.state(id) == "processed");
  }
  CHECK(view_of(node).in_flight == 1024);
}

TEST_CASE(
  "row 34: tasks whose agent takes nothing hold no place of their scheduler, however many workflows they are of") {
  auto settings = with_bulk(16);
  for (int i = 0; i < 40; ++i)
    settings.definitions.push_back(of_one_step("bulk" + std::to_string(i), "grind"));
  one_node node{settings};
  node.agent("grind").follow(decline);
  for (int i = 0; i < 40; ++i)
    submit_many(node, "bulk" + std::to_string(i), 30);
  CHECK(view_of(node).in_flight == 0);
  for (int i = 0; i < 20; ++i)
    submit(node, "single", "s" + std::to_string(i));
  node.run();
  for (int i = 0; i < 20; ++i)
    CHECK(node.state("s" + std::to_string(i)) == "processed");

  const auto waiting = node.task("bulk0.0");
  CHECK(waiting.steps[0].waiting_for == "circuit for `grind` open");
  CHECK(waiting.steps[0].tries == 0);
  CHECK(waiting.takeovers == 0);
  node.agent("grind").follow(scripted_agent::succeed);
  node.advance(1min);
  CHECK(node.store().counts().tasks[workflow::process_state::processed] == 40 * 30 + 20);
}

TEST_CASE(
  "while an agent takes nothing, about as many tasks as a scheduler has places ask it in vain, not the whole backlog") {
  one_node node{with_bulk(16)};
  node.agent("grind").follow([](const actors::step_order& o) {
    auto r = *decline(o);
    r.retry_after = 30s;
    return std::optional{r};
  });
  submit_many(node, "bulk", 500);
  node.advance(10s);
  CHECK(node.agent("grind").orders().size() >= 16);
  CHECK(node.agent("grind").orders().size() <= 2 * 18);
  const auto asked = node.agent("grind").orders().size();
  node.advance(30s);
  CHECK(node.agent("grind").orders().size() >= 2 * asked - 2); // they came again
  CHECK(node.agent("grind").orders().size() <= 3 * 18);
  node.agent("grind").follow(scripted_agent::succeed);
  node.advance(1min);
  CHECK(node.store().counts().tasks[workflow::process_state::processed] == 500);
}

TEST_CASE("a single task does not wait behind a backlog of another workflow") {
  one_node node{with_bulk(10)};
  node.agent("grind").follow(scripted_agent::hang);
  submit_many(node, "bulk", 200);
  node.agent("mail").follow(scripted_agent::hang);
  submit_many(node, "single", 200);
  // Each place that gets free goes to the workflow that has fewer.
  for (std::size_t i = 0; i < 5; ++i) {
    node.agent("grind").say(node.system(), *scripted_agent::succeed(node.agent("grind").orders().at(i)));
    node.run();
  }
  CHECK(node.agent("mail").orders().size() == 5);
  CHECK(node.agent("grind").orders().size() == 11);
}

TEST_CASE("in light load every scheduler gets its share, wherever the store is") {
  node_settings settings;
  settings.schedulers = {"s1", "s2", "s3"};
  one_node node{settings};
  for (const auto taken : taken_in_light_load(node, 60))
    CHECK(taken >= 12);
}

TEST_CASE("a scheduler that has stopped to take anything is offered nothing any more, and nothing waits for it") {
  node_settings settings;
  settings.schedulers = {"s1", "s2"};
  one_node node{settings};
  node.run();
  node.system().ask<actors::drained>(node.schedulers[0], actors::drain{1s});
  CHECK(taken_in_light_load(node, 20) == std::vector<std::uint64_t>{0, 20});
  for (int i = 2; i < 20; ++i) { // before that it may have been offered one
    const auto t = node.task("t" + std::to_string(i));
    CHECK(t.ended_at == t.submitted_at);
  }
}
