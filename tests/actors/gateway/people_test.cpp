// What a person does to a task, through the gateway, while schedulers and supervisor are at work.

#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using actors::step_order;
using actors::task_act;
using tests::one_node;
using tests::report_on;
using tests::scripted_agent;
using workflow::attempt_action;

namespace {

using strings = std::vector<std::string>;

/// A trip whose flight goes to error when its attempts are used up, as they are at once.
tests::node_settings asks_a_person() {
  tests::node_settings settings;
  auto& flight = settings.definitions[0].steps[1];
  flight.exhausted = workflow::on_exhausted::error;
  flight.retry.attempts = 1;
  flight.threshold = 1;
  return settings;
}

/// Submits t1 and lets its flight fail so often that it is in error.
void come_to_error(one_node& node) {
  node.agent("flight").follow(scripted_agent::fail(1, report_kind::failed_transient));
  node.submit("t1");
  REQUIRE(node.reaches("t1", "error", 1min));
}

} // namespace

TEST_CASE("row 78: a failed step that a person retries opens a new generation, keeps its key, and is in the story") {
  one_node node{asks_a_person()};
  come_to_error(node);
  const auto r = node.act("t1", task_act::retry);
  CHECK(r.done);
  CHECK(node.state("t1") == "processed");
  const auto t = node.task("t1");
  CHECK(t.generation == 2);
  REQUIRE(t.acts.size() == 1);
  CHECK(t.acts[0].who == "grace");
  CHECK(t.acts[0].why == "because");
  CHECK(t.acts[0].what == "retry step `flight`");
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.agent("flight").last().key == "t1/flight");
}

TEST_CASE("row 78: only the step for which a person asks for a new key gets one") {
  one_node node{asks_a_person()};
  come_to_error(node);
  node.agent("flight").follow(scripted_agent::fail(1, report_kind::failed_permanent));
  REQUIRE(node.act("t1", task_act::retry, "flight", {}, true).done);
  CHECK(node.reaches("t1", "undone", 1min));
  CHECK(node.agent("flight").orders_of("flight").back().key == "t1/flight#2");
  CHECK(node.agent("hotel").orders_of("hotel", attempt_action::compensate).back().key == "t1/hotel/undo");
}

TEST_CASE("a step that a person skips is not ordered, and the result given takes its place") {
  auto settings = asks_a_person();
  settings.definitions[0].steps.push_back(tests::step_named("dinner"));
  auto& dinner = settings.definitions[0].steps[2];
  dinner.input = {{"seat", {workflow::source::kind::result, "flight", "/seat", {}}}};
  one_node node{settings};
  come_to_error(node);
  const auto r = node.act("t1", task_act::skip, "flight", R"({"seat":"1A"})");
  CHECK(r.done);
  CHECK(node.state("t1") == "processed");
  CHECK(node.step_state("t1", 1) == "skipped");
  CHECK(node.agent("dinner").last().input == R"({"seat":"1A"})");
}

TEST_CASE("an edited payload is what the retried step gets, also after a restart") {
  one_node node{asks_a_person()};
  come_to_error(node);
  REQUIRE(node.act("t1", task_act::edit, {}, R"({"for":"Bob"})").done);
  node.restart();
  REQUIRE(node.act("t1", task_act::retry).done);
  CHECK(node.state("t1") == "processed");
  CHECK(node.agent("flight").last().input == R"({"for":"Bob"})");
}

TEST_CASE("a task that is processed is undone when a person asks for it") {
  one_node node;
  node.submit("t1");
  REQUIRE(node.state("t1") == "processed");
  CHECK(node.act("t1", task_act::undo).done);
  CHECK(node.state("t1") == "undone");
  CHECK(node.task("t1").cause == "undone by grace: because");
  CHECK(node.agent("hotel").orders_of("hotel", attempt_action::compensate).size() == 1);
  CHECK(node.agent("flight").orders_of("flight", attempt_action::compensate).size() == 1);
}

TEST_CASE(
  "a task that a scheduler has locked can be undone at once: the scheduler learns of it and stops its attempt") {
  one_node node;
  node.agent("flight").follow([](const step_order& o) {
    auto r = scripted_agent::succeed(o);
    return o.action == attempt_action::perform ? std::nullopt : r;
  });
  node.submit("t1");
  const auto order = node.agent("flight").last();
  CHECK(node.act("t1", task_act::undo).done);
  REQUIRE(node.agent("flight").stops().size() == 1);
  CHECK(node.agent("flight").stops()[0].attempt == order.attempt);
  CHECK(node.agent("flight").stops()[0].epoch == order.epoch);
  auto stopped = report_on(order, report_kind::stopped);
  stopped.maybe_done = false;
  node.agent("flight").say(node.system(), stopped);
  node.run();
  CHECK(node.state("t1") == "undone");
  CHECK(node.agent("flight").orders_of("flight", attempt_action::compensate).empty());
}

TEST_CASE("a suspended task starts nothing until it resumes, and the attempt that was open may still complete") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  CHECK(node.act("t1", task_act::suspend).done);
  CHECK(node.state("t1") == "suspended");
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(node.agent("hotel").last()));
  node.run();
  CHECK(node.step_state("t1", 0) == "completed");
  node.advance(1h);
  CHECK(node.agent("flight").orders().empty());
  node.restart();
  node.advance(1h);
  CHECK(node.state("t1") == "suspended");
  CHECK(node.act("t1", task_act::resume).done);
  CHECK(node.state("t1") == "processed");
  for (const auto& o : node.agent("hotel").orders()) // the scheduler repeats the order of an attempt that it finds open
    CHECK(o.attempt == 1);
}

TEST_CASE("a task suspended while it waits is let go, and goes on when it resumes") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::fail(1, report_kind::failed_transient));
  node.submit("t1");
  REQUIRE(node.task("t1").steps[0].not_before > node.now());
  CHECK(node.act("t1", task_act::suspend).done);
  node.advance(10min);
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.act("t1", task_act::resume).done);
  CHECK(node.state("t1") == "processed");
  CHECK(node.broken_invariants().empty());
}

TEST_CASE("a retry while a step waits brings its next attempt forward") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::fail(1, report_kind::failed_transient));
  node.submit("t1");
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.act("t1", task_act::retry).done);
  CHECK(node.agent("hotel").orders().size() == 2);
  CHECK(node.now() == tests::midday);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("an act that cannot be done is answered with the reason and changes nothing") {
  one_node node;
  node.submit("t1");
  const auto before = node.task("t1");
  CHECK(node.act("nobody", task_act::cancel).why == "there is no task `nobody`");
  CHECK(node.act("t1", task_act::retry).why == "no step of it failed or waits");
  CHECK(node.act("t1", task_act::skip, "taxi").why == "it has no step `taxi`");
  CHECK_FALSE(node.act("t1", task_act::resume).done);
  CHECK_FALSE(node.act("t1", task_act::suspend).done);
  CHECK(node.task("t1") == before);
}

TEST_CASE("an act that is overtaken by the task's own progress is applied to what the task has become") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const actors::act_on_task m{"t1", task_act::suspend, {}, {}, false, "grace", "because"};
  const auto answer = node.system().begin_to_ask<actors::act_result>(node.gateway, m);
  node.run_until_next<actors::task_view>("gateway");
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(node.agent("hotel").last()));
  node.agent("flight").follow(scripted_agent::hang);
  node.run_until_next<actors::flush>("store_actor");
  node.run();
  REQUIRE(answer->has_value());
  CHECK((*answer)->done);
  CHECK(node.state("t1") == "suspended");
  CHECK(node.step_state("t1", 0) == "completed");
}

TEST_CASE("an act whose task was changed just before it was written is decided again on what the task has become") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const actors::act_on_task m{"t1", task_act::suspend, {}, {}, false, "grace", "because"};
  const auto answer = node.system().begin_to_ask<actors::act_result>(node.gateway, m);
  for (int i = 0; i < 3; ++i) {
    node.run_until_next<actors::write_requests>("store_actor", [](const actors::write_requests& r) {
      return std::holds_alternative<store::update_task>(*r.all.at(0).what);
    });
    store::update_task first;
    first.next = node.task("t1");
    first.lock_epoch_before = first.next.lock_epoch;
    REQUIRE(node.store().commit({first}).at(0).result == store::write_status::applied);
    node.step();
  }
  node.run();
  REQUIRE(answer->has_value());
  CHECK((*answer)->done);
  CHECK(node.state("t1") == "suspended");
  CHECK(node.task("t1").acts.size() == 1);
}

TEST_CASE(
  "an act that was decided by another clock than the store's is decided again as soon as the node has learnt of it") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto lead = std::make_shared<actors::shared_lead>();
  const auto of_store = node.system().clock().set_at;
  lead->set({{}, of_store - 1h});
  auto clock = node.system().clock().own();
  clock.lead = lead;
  auto& sys = node.system();
  const auto gateway =
    sys.keep(actors::spawn_gateway(sys.system(), {node.store_actor, node.reader, node.notifier, clock}));
  const actors::act_on_task m{"t1", task_act::suspend, {}, {}, false, "grace", "because"};
  const auto answer = sys.begin_to_ask<actors::act_result>(gateway, m);
  node.advance(3s);
  CHECK_FALSE(answer->has_value());
  CHECK(node.state("t1") == "processing");
  lead->set({{}, of_store});
  node.advance(1s);
  REQUIRE(answer->has_value());
  CHECK((*answer)->done);
  CHECK(node.state("t1") == "suspended");

  lead->set({{}, of_store - 1h});
  const actors::act_on_task resume{"t1", task_act::resume, {}, {}, false, "grace", "because"};
  const auto refused = sys.begin_to_ask<actors::act_result>(gateway, resume);
  node.advance(15s);
  REQUIRE(refused->has_value());
  CHECK_FALSE((*refused)->done);
  CHECK((*refused)->why == "it was decided by another clock than the store's; the node has yet to learn of that");
}

TEST_CASE("row 147: a person's act is decided by the clock of the node that has the partition of its task") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  REQUIRE(node.task("t1").number == 1);
  auto& sys = node.system();
  const auto clock_of = [&](workflow::instant set_at) {
    const auto lead = std::make_shared<actors::shared_lead>();
    lead->set({{}, set_at});
    auto clock = sys.clock().own();
    clock.lead = lead;
    return clock;
  };
  const auto of_store = sys.clock().set_at;
  const actors::partition_clocks clocks{std::vector{clock_of(of_store - 1h), clock_of(of_store)}};
  const auto gateway =
    sys.keep(actors::spawn_gateway(sys.system(), {node.store_actor, node.reader, node.notifier, clocks}));
  const actors::act_on_task m{"t1", task_act::suspend, {}, {}, false, "grace", "because"};
  const auto answer = sys.begin_to_ask<actors::act_result>(gateway, m);
  node.advance(1s);
  REQUIRE(answer->has_value());
  CHECK((*answer)->done);
}

TEST_CASE("row 79: a task keeps the version it started with when its workflow changes") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("old");
  auto changed = tests::trip();
  changed.version = 2;
  changed.steps = {tests::step_named("train")};
  node.settings().definitions.push_back(changed);
  node.agent("hotel").follow(scripted_agent::succeed);
  node.restart();
  node.submit("new");
  CHECK(node.state("old") == "processed");
  CHECK(node.state("new") == "processed");
  CHECK(node.task("old").version == 1);
  CHECK(node.task("new").version == 2);
  CHECK(node.agent("flight").orders().size() == 1);
  CHECK(node.agent("train").orders().size() == 1);
  CHECK(node.agent("train").last().task_id == "new");
}
