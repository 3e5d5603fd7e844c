#include "actors/agents/agents.hpp"
#include "tests/actors/recorder.hpp"
#include "tests/actors/shown.hpp"
#include "tests/actors/test_node.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using tests::midday;

namespace {

agent_options named(const std::string& name) {
  agent_options o;
  o.name = name;
  o.retry = {3, 100ms, 200, 2000ms, 0};
  return o;
}

step_order agent_order(std::uint64_t task, std::uint64_t epoch = 1) {
  step_order o;
  o.task_number = task;
  o.task_id = "t" + std::to_string(task);
  o.step_name = "charge";
  o.attempt = 1;
  o.epoch = epoch;
  o.key = o.task_id + "/charge";
  o.input = "7";
  o.complete_by = midday + 30s;
  o.clock = midday;
  return o;
}

/// Whoever sent orders.
struct reports_heard : tests::recorder<attempt_reports> {
  using recorder::recorder;

  std::vector<attempt_report> seen() const {
    std::vector<attempt_report> all;
    for (const auto& m : recorder::seen())
      all.insert(all.end(), m.all.begin(), m.all.end());
    return all;
  }
};

/// An agent whose function keeps what it should answer to.
struct async_bench {
  std::vector<call> calls;
  std::vector<answer_to> answers;

  async_function function() {
    return {[this](const call& c, answer_to to) {
      calls.push_back(c);
      answers.push_back(std::move(to));
    }};
  }
};

} // namespace

TEST_CASE("a function agent answers whoever ordered") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  auto agent = node.keep(
    spawn_function_agent(node.system(), named("payment"), node.clock(),
                         quick_function{[](const call& c) { return succeeded("{\"got\":" + c.input + "}"); }}));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.run();
  const auto heard = orderer.seen();
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].kind == report_kind::succeeded);
  CHECK(heard[0].task_number == 1);
  CHECK(heard[0].result == "{\"got\":7}");
  const auto view = tests::shown_by(node, agent);
  CHECK(view.at("kind") == "function");
  CHECK(view.at("circuit") == "closed");
  CHECK(view.at("succeeded") == 1);
}

TEST_CASE("a function that throws is tried again and then reported as a passing fault") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  auto tries = std::make_shared<int>(0);
  auto agent = node.keep(
    spawn_function_agent(node.system(), named("payment"), node.clock(), quick_function{[tries](const call&) -> answer {
                           ++*tries;
                           throw std::runtime_error{"no line"};
                         }}));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.advance(299ms);
  CHECK(*tries == 2);
  CHECK(orderer.seen().empty());
  node.advance(1ms);
  CHECK(*tries == 3);
  REQUIRE(orderer.seen().size() == 1);
  CHECK(orderer.seen()[0].kind == report_kind::failed_transient);
  CHECK(orderer.seen()[0].maybe_done);
  CHECK(orderer.seen()[0].why == "the function threw: no line");
}

TEST_CASE("row 34: a function that goes on after complete-by is asked to stop, and its answer is kept back") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.advance(29'999ms);
  REQUIRE(bench.calls.size() == 1);
  CHECK_FALSE(bench.calls[0].stop.stop_requested());
  node.advance(1ms);
  CHECK(bench.calls[0].stop.stop_requested());
  bench.answers[0](succeeded());
  node.advance(1h);
  CHECK(orderer.seen().empty());
  const auto view = tests::shown_by(node, agent);
  CHECK(view.at("silenced") == 1);
  CHECK(view.at("in_flight") == 0);
}

TEST_CASE(
  "row 35: how an attempt ends that is not wanted any more is told to who stopped it, under the epoch of that one") {
  tests::test_node node;
  reports_heard former{node.system()};
  reports_heard later{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(former.handle(), agent, step_orders{{agent_order(1, 5)}});
  node.run();
  node.tell(later.handle(), agent, stop_order{1, 0, 1, 6});
  node.run();
  REQUIRE(bench.answers.size() == 1);
  bench.answers[0](succeeded());
  node.run();
  CHECK(former.seen().empty());
  REQUIRE(later.seen().size() == 1);
  CHECK(later.seen()[0].epoch == 6);
  CHECK(later.seen()[0].kind == report_kind::succeeded);
}

TEST_CASE("a function that drops its answer is noticed at once") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto o = named("payment");
  o.retry.attempts = 1;
  auto agent = node.keep(spawn_function_agent(node.system(), o, node.clock(), bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.run();
  bench.answers.clear();
  node.run();
  REQUIRE(orderer.seen().size() == 1);
  CHECK(orderer.seen()[0].kind == report_kind::failed_transient);
}

TEST_CASE("a second answer of a function has no effect") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.run();
  bench.answers[0](succeeded("1"));
  bench.answers[0](succeeded("2"));
  node.run();
  REQUIRE(orderer.seen().size() == 1);
  CHECK(orderer.seen()[0].result == "1");
}

TEST_CASE("row 35: the open attempt reports to the scheduler of the higher epoch") {
  tests::test_node node;
  reports_heard before{node.system()};
  reports_heard after{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(before.handle(), agent, step_orders{{agent_order(1, 1)}});
  node.tell(after.handle(), agent, step_orders{{agent_order(1, 2)}});
  node.tell(before.handle(), agent, step_orders{{agent_order(1, 1)}});
  node.run();
  REQUIRE(bench.calls.size() == 1);
  bench.answers[0](succeeded());
  node.run();
  CHECK(before.seen().empty());
  REQUIRE(after.seen().size() == 1);
  CHECK(after.seen()[0].epoch == 2);
}

TEST_CASE("who drains an agent is answered after the last report was sent") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  const auto answer = node.begin_to_ask<drained>(agent, drain{10s});
  node.run();
  REQUIRE_FALSE(answer->has_value());
  bench.answers[0](succeeded());
  node.step(); // the agent hears of it
  node.step(); // what it sent first arrives
  CHECK(orderer.seen().size() == 1);
  CHECK_FALSE(answer->has_value());
  node.run();
  CHECK(answer->has_value());
}

TEST_CASE("a drain of an agent does not wait for a call for longer than its limit") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  const auto answer = node.begin_to_ask<drained>(agent, drain{10s});
  node.advance(9'999ms);
  CHECK_FALSE(answer->has_value());
  node.advance(1ms);
  CHECK(answer->has_value());
}

TEST_CASE("P12: the calls of an agent that ends are asked to end") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.run();
  REQUIRE(bench.calls.size() == 1);
  exit_now(agent);
  node.run();
  CHECK(bench.calls[0].stop.stop_requested());
}

TEST_CASE("many short attempts leave no pile of timers behind") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  auto agent =
    node.keep(spawn_function_agent(node.system(), named("payment"), node.clock(), quick_function{[](const call& c) {
                                     return c.try_number == 1 ? failed_for_now("once") : succeeded();
                                   }}));
  for (std::uint64_t task = 1; task <= 200; ++task) {
    auto o = agent_order(task);
    o.complete_by = node.now() + 30s;
    node.tell(orderer.handle(), agent, step_orders{{o}});
    node.advance(100ms);
  }
  CHECK(orderer.seen().size() == 200);
  CHECK(node.pending_timers() <= 4);
}

TEST_CASE("row 50: an order told by a clock that its node does not follow is declined") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto lead = std::make_shared<shared_lead>();
  auto clock = node.clock();
  clock.lead = lead;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), clock, bench.function()));
  const auto order = [&](std::uint64_t task, workflow::instant told_by) {
    auto o = agent_order(task);
    o.complete_by += 10h;
    o.clock = told_by;
    node.tell(orderer.handle(), agent, step_orders{{o}});
    node.run();
  };
  const auto theirs = midday + 10h;
  order(1, workflow::unset);
  order(2, theirs); // not learnt yet
  lead->set({{10h, 10h, node.now()}, theirs});
  order(3, midday);
  CHECK(bench.calls.empty());
  REQUIRE(orderer.seen().size() == 3);
  for (const auto& r : orderer.seen())
    CHECK(r.kind == report_kind::declined);
  order(4, theirs);
  CHECK(bench.calls.size() == 1);
}

TEST_CASE("rows 50 and 51: an agent goes by the latest that the store's clock may show") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto lead = std::make_shared<shared_lead>();
  lead->set({{-1s, 2s, node.now()}, midday});
  auto clock = node.clock();
  clock.lead = lead;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), clock, bench.function()));
  SECTION("as far as it knows") {
    node.advance(27'400ms); // in which the clocks may have parted by 548 ms
    node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
    node.run();
    REQUIRE(bench.calls.size() == 1);
    node.advance(53ms);
    CHECK(bench.calls[0].stop.stop_requested());
  }
  SECTION("when it could be over, it is not begun") {
    node.advance(27'500ms);
    node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
    node.run();
    CHECK(bench.calls.empty());
  }
}

TEST_CASE("row 50: an order is timed by the clock of the node that has the partition of its task") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  const auto first = std::make_shared<shared_lead>();
  const auto second = std::make_shared<shared_lead>();
  first->set({{0ms, 0ms, node.now()}, midday});
  second->set({{10h, 10h, node.now()}, midday + 10h});
  std::vector<node_clock> clocks(2, node.clock());
  clocks[0].lead = first;
  clocks[1].lead = second;
  auto agent = node.keep(
    spawn_function_agent(node.system(), named("payment"), partition_clocks{std::move(clocks)}, bench.function()));
  const auto order = [&](std::uint64_t task, workflow::instant told_by) {
    auto o = agent_order(task);
    o.clock = told_by;
    o.complete_by = told_by + 30s;
    node.tell(orderer.handle(), agent, step_orders{{o}});
    node.run();
  };
  order(2, midday);
  order(3, midday + 10h);
  REQUIRE(bench.calls.size() == 2);
  SECTION("and by no other") {
    order(4, midday + 10h);
    order(5, midday);
    CHECK(bench.calls.size() == 2);
    REQUIRE(orderer.seen().size() == 2);
    for (const auto& r : orderer.seen())
      CHECK(r.kind == report_kind::declined);
  }
  SECTION("also when another partition has another clock then, and when its own has") {
    first->set({{-20h, -20h, node.now()}, midday - 20h});
    node.advance(10s);
    second->set({{5h, 5h, node.now()}, midday + 5h});
    node.advance(19'300ms); // in 30 s the clocks may have parted by 600 ms
    for (const auto& c : bench.calls)
      CHECK_FALSE(c.stop.stop_requested());
    node.advance(700ms);
    for (const auto& c : bench.calls)
      CHECK(c.stop.stop_requested());
  }
}

TEST_CASE("row 50: a call ends when it was to end, though another clock takes the place of the one it was told by") {
  tests::test_node node;
  reports_heard orderer{node.system()};
  async_bench bench;
  auto lead = std::make_shared<shared_lead>();
  lead->set({{0ms, 0ms, node.now()}, midday});
  auto clock = node.clock();
  clock.lead = lead;
  auto agent = node.keep(spawn_function_agent(node.system(), named("payment"), clock, bench.function()));
  node.tell(orderer.handle(), agent, step_orders{{agent_order(1)}});
  node.run();
  REQUIRE(bench.calls.size() == 1);
  SECTION("one that is ahead") {
    lead->set({{10h, 10h, node.now()}, midday + 10h});
  }
  SECTION("one that is behind") {
    lead->set({{-10h, -10h, node.now()}, midday - 10h});
  }
  node.tell(orderer.handle(), agent, step_orders{{agent_order(2)}}); // by the former clock
  node.advance(29'999ms);
  CHECK_FALSE(bench.calls[0].stop.stop_requested());
  node.advance(1ms);
  CHECK(bench.calls[0].stop.stop_requested());
  bench.answers[0](succeeded("{}"));
  node.run();
  REQUIRE(orderer.seen().size() == 1);
  CHECK(orderer.seen()[0].task_number == 2);
  CHECK(orderer.seen()[0].kind == report_kind::declined);
}
