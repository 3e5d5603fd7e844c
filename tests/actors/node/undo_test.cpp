// What happened is reversed, whatever fails meanwhile.

#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::attempt_reports;
using actors::report_kind;
using actors::step_order;
using actors::task_act;
using tests::one_node;
using tests::report_on;
using tests::scripted_agent;
using workflow::attempt_action;

namespace {

using strings = std::vector<std::string>;

/// Steps a, b and c; c is refused for good.
tests::node_settings three_steps() {
  tests::node_settings settings;
  settings.definitions = {
    tests::pipeline("trip", {tests::step_named("a"), tests::step_named("b"), tests::step_named("c")})};
  return settings;
}

void refuse_c(one_node& node) {
  node.agent("c").follow(scripted_agent::fail(1000, report_kind::failed_permanent));
}

/// Succeeds going forward; answers the first `times` undo orders with `kind`.
scripted_agent::script undo_fails(std::size_t times, report_kind kind) {
  return [times, kind](const step_order& o) mutable {
    if (o.action != attempt_action::compensate || times == 0)
      return scripted_agent::succeed(o);
    --times;
    return std::optional{report_on(o, kind, "cannot be undone")};
  };
}

/// Succeeds going forward; does not answer the first undo order.
scripted_agent::script undo_hangs_once() {
  return [first = true](const step_order& o) mutable {
    const bool hangs = o.action == attempt_action::compensate && std::exchange(first, false);
    return hangs ? std::nullopt : scripted_agent::succeed(o);
  };
}

} // namespace

TEST_CASE("undo runs in the reverse order of completion, each step once") {
  strings undone;
  one_node node{three_steps()};
  refuse_c(node);
  for (const auto* step : {"a", "b"})
    node.agent(step).follow([&](const step_order& o) {
      if (o.action == attempt_action::compensate)
        undone.push_back(o.step_name);
      return scripted_agent::succeed(o);
    });
  node.submit("t1");
  CHECK(node.state("t1") == "undone");
  CHECK(undone == strings{"b", "a"});
  CHECK(node.broken_invariants().empty());
}

TEST_CASE("row 71: an undo that fails for the moment is tried again with the same key") {
  one_node node{three_steps()};
  refuse_c(node);
  node.agent("b").follow(undo_fails(1, report_kind::failed_transient));
  node.submit("t1");
  CHECK(node.state("t1") == "undoing");
  CHECK(node.reaches("t1", "undone", 1min));
  const auto undos = node.agent("b").orders_of("b", attempt_action::compensate);
  REQUIRE(undos.size() == 2);
  CHECK(undos[0].key == undos[1].key);
  CHECK(node.alerts().empty());
}

TEST_CASE("row 71: an undo that fails for good leaves the task in error with an alert, and the other undos still run") {
  one_node node{three_steps()};
  refuse_c(node);
  node.agent("b").follow(undo_fails(1000, report_kind::failed_permanent));
  node.submit("t1");
  CHECK(node.state("t1") == "error");
  CHECK(node.step_state("t1", 0) == "compensated");
  CHECK(node.step_state("t1", 1) == "compensation_failed");
  const auto alerts = node.store().alerts(true, 10);
  REQUIRE_FALSE(alerts.empty());
  for (const auto& a : alerts) {
    CHECK(a.what.kind == "undo_failed");
    CHECK(a.what.text.find("`b`") != std::string::npos);
  }
}

TEST_CASE("row 71: a failed undo and its alert are in one commit") {
  one_node node{three_steps()};
  refuse_c(node);
  node.agent("b").follow(undo_fails(1000, report_kind::failed_permanent));
  node.begin_to_submit("t1");
  node.run_until_next<attempt_reports>("scheduler", [](const attempt_reports& m) { return m.all.at(0).step == 2; });
  int looks = 0;
  while (node.system().step()) {
    if (node.step_state("t1", 1) != "compensation_failed")
      continue;
    ++looks;
    REQUIRE_FALSE(node.alerts().empty());
  }
  CHECK(looks > 0);
}

TEST_CASE("row 71: an undo that uses up its attempts leaves the task in error, and the others still run") {
  one_node node{three_steps()};
  refuse_c(node);
  node.agent("b").follow(undo_fails(1000, report_kind::failed_transient));
  node.submit("t1");
  CHECK(node.reaches("t1", "error", 10min));
  CHECK(node.step_state("t1", 0) == "compensated");
  CHECK(node.agent("b").orders_of("b", attempt_action::compensate).size() == 4);
  CHECK_FALSE(node.alerts().empty());
}

TEST_CASE("row 73: an undo whose own complete-by passes is tried again with the same key") {
  one_node node{three_steps()};
  refuse_c(node);
  node.agent("b").follow(undo_hangs_once());
  node.submit("t1");
  node.advance(29s);
  CHECK(node.state("t1") == "undoing");
  CHECK(node.agent("a").orders_of("a", attempt_action::compensate).empty()); // its turn has not come
  CHECK(node.reaches("t1", "undone", 10s));
  const auto undos = node.agent("b").orders_of("b", attempt_action::compensate);
  REQUIRE(undos.size() == 2);
  CHECK(undos[0].key == undos[1].key);
}

TEST_CASE("row 75: a step of unknown outcome is undone too, once no message of it can act any more") {
  auto settings = three_steps();
  settings.definitions[0].grace = 5s;
  one_node node{settings};
  node.agent("b").follow([](const step_order& o) {
    return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  node.advance(10s);
  REQUIRE(node.act("t1", task_act::cancel).done);
  const auto complete_by = node.agent("b").last().complete_by;
  CHECK(node.agent("b").stops().size() == 1);
  node.advance(complete_by + 5s - node.now() - 1ms);
  CHECK(node.step_state("t1", 1) == "unknown");
  CHECK(node.agent("b").orders_of("b", attempt_action::compensate).empty());
  CHECK(node.agent("a").orders_of("a", attempt_action::compensate).empty());
  node.advance(1ms);
  CHECK(node.state("t1") == "undone");
  CHECK(node.agent("b").orders_of("b", attempt_action::compensate).size() == 1);
}

TEST_CASE("row 75: an attempt that the agent confirms as stopped need not be waited for") {
  one_node node{three_steps()};
  node.agent("b").follow([](const step_order& o) {
    return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  const auto order = node.agent("b").last();
  REQUIRE(node.act("t1", task_act::cancel).done);
  node.agent("b").say(node.system(), report_on(order, report_kind::stopped));
  node.run();
  CHECK(node.state("t1") == "undone");
  CHECK(node.agent("b").orders_of("b", attempt_action::compensate).size() == 1); // it may have acted
  CHECK(node.now() < order.complete_by);
}

TEST_CASE("row 74: cancelled while a step runs, the task is undone, and the step's success does not turn it back") {
  one_node node{three_steps()};
  node.agent("b").follow([](const step_order& o) {
    return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  const auto order = node.agent("b").last();
  CHECK(node.act("t1", task_act::cancel).done);
  CHECK(node.state("t1") == "undoing");
  node.agent("b").say(node.system(), report_on(order, report_kind::succeeded, "{}"));
  node.run();
  CHECK(node.state("t1") == "undone");
  CHECK(node.step_state("t1", 1) == "compensated");
  CHECK(node.agent("c").orders().empty());
}

TEST_CASE(
  "row 74: cancelled while a step's completion is on its way to disk, one of the two wins and the other follows it") {
  for (const bool cancel_first : {true, false}) {
    one_node node{three_steps()};
    node.agent("b").follow([](const step_order& o) {
      return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
    });
    node.submit("t1");
    const auto success = report_on(node.agent("b").last(), report_kind::succeeded, "{\"b\":1}");
    if (!cancel_first)
      node.agent("b").say(node.system(), success);
    const actors::act_on_task cancel{"t1", task_act::cancel, {}, {}, false, "grace", "because"};
    const auto answer = node.system().begin_to_ask<actors::act_result>(node.gateway, cancel);
    if (cancel_first) {
      node.run_until_next<actors::write_requests>("store_actor");
      node.step();
      node.agent("b").say(node.system(), success);
    }
    node.run();
    REQUIRE(answer->has_value());
    CHECK((*answer)->done);
    CHECK(node.state("t1") == "undone");
    CHECK(node.step_state("t1", 1) == "compensated");
    // Whoever was first: the reply was used, so nothing had to be waited for.
    CHECK(node.now() == tests::midday);
    CHECK(node.broken_invariants().empty());
  }
}

TEST_CASE("row 74: cancelled twice is cancelled once, and during undo it changes nothing") {
  one_node node{three_steps()};
  node.agent("b").follow(scripted_agent::hang);
  node.submit("t1");
  CHECK(node.act("t1", task_act::cancel).done);
  const auto before = node.task("t1");
  const auto again = node.act("t1", task_act::cancel);
  CHECK_FALSE(again.done);
  CHECK(again.why == "it is being undone");
  CHECK(again.state == workflow::process_state::undoing);
  CHECK(node.task("t1") == before);
}

TEST_CASE("row 74: a task that has ended cannot be cancelled") {
  one_node node{three_steps()};
  node.submit("t1");
  const auto r = node.act("t1", task_act::cancel);
  CHECK_FALSE(r.done);
  CHECK(r.why == "it has ended; `undo` reverses it");
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("a task whose deadline passes is undone in what was reserved for that") {
  auto settings = three_steps();
  settings.definitions[0].deadline = 60s;
  settings.definitions[0].undo_reserve = 20s;
  one_node node{settings};
  node.agent("b").follow([](const step_order& o) {
    return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  CHECK(node.reaches("t1", "undone", 60s));
  CHECK(node.task("t1").ended_at <= node.task("t1").complete_by);
  for (const auto& o : node.agent("b").orders_of("b"))
    CHECK(o.complete_by <= tests::midday + 40s);
  CHECK(node.task("t1").cause == "its deadline passed before the work was done");
}

TEST_CASE("the deadline of a task that waits in the store is acted on as well") {
  auto settings = three_steps();
  settings.definitions[0].deadline = 60s;
  settings.definitions[0].undo_reserve = 20s;
  settings.schedulers = {};
  one_node node{settings};
  node.submit("t1");
  node.advance(39s);
  CHECK(node.state("t1") == "pending");
  node.advance(2s);
  CHECK(node.state("t1") == "undone");
}
