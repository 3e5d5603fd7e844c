// What agents do wrong, and what the scheduler and the supervisor make of it.

#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using actors::step_order;
using tests::one_node;
using tests::report_on;
using tests::scripted_agent;
using workflow::attempt_action;
using workflow::attempt_outcome;

namespace {

/// Hangs with the first order and succeeds with those that follow.
scripted_agent::script hang_once() {
  return [first = true](const step_order& o) mutable {
    return std::exchange(first, false) ? std::nullopt : scripted_agent::succeed(o);
  };
}

std::vector<attempt_outcome> outcomes(const workflow::step& s) {
  std::vector<attempt_outcome> found;
  for (const auto& line : s.log)
    found.push_back(line.outcome);
  return found;
}

} // namespace

TEST_CASE(
  "row 21: an agent that dies before it calls its service costs one complete-by, then the step is tried again") {
  one_node node;
  node.agent("hotel").follow(hang_once());
  node.submit("t1");
  node.advance(29'999ms);
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.step_state("t1", 0) == "running");
  node.advance(2s);
  CHECK(node.agent("hotel").orders().size() == 2);
  CHECK(node.state("t1") == "processed");
  CHECK(outcomes(node.task("t1").steps[0]) == std::vector{attempt_outcome::expired, attempt_outcome::succeeded});
}

TEST_CASE(
  "row 22: after a reply that never came the step is repeated with the same key, so that the service acts once") {
  one_node node;
  node.agent("hotel").follow(hang_once());
  node.submit("t1");
  CHECK(node.reaches("t1", "processed", 1min));
  const auto& orders = node.agent("hotel").orders();
  REQUIRE(orders.size() == 2);
  CHECK(orders[0].key == orders[1].key);
  CHECK(orders[0].attempt + 1 == orders[1].attempt);
  CHECK(orders[0].epoch < orders[1].epoch);
}

TEST_CASE("row 23: an agent that hangs for ever is waited for until complete-by each time, then the task is undone") {
  one_node node;
  node.agent("flight").follow([](const step_order& o) {
    return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  CHECK(node.reaches("t1", "undone", 10min));
  const auto t = node.task("t1");
  CHECK(node.agent("flight").orders_of("flight").size() == 2);
  CHECK(t.cause == "step `flight` used up its attempts: no answer by its complete-by");
  CHECK(t.ended_at - t.submitted_at >= 60s);
  CHECK(t.ended_at - t.submitted_at <= 70s);
  CHECK(node.broken_invariants().empty());
}

TEST_CASE("row 24: a reply that arrives after complete-by has no effect and is kept as evidence") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto order = node.agent("hotel").last();
  node.system().advance_until([&] { return node.now() >= order.complete_by; }, 1min);
  node.agent("hotel").say(node.system(), report_on(order, report_kind::succeeded, "{}"));
  node.run();
  CHECK(node.step_state("t1", 0) == "unknown");
  REQUIRE(node.late_replies("t1").size() == 1);
  CHECK(node.late_replies("t1")[0].what.attempt == 1);
}

TEST_CASE("row 25: a reply that is handled at complete-by to the tick is refused, a tick earlier it counts") {
  for (const bool in_time : {false, true}) {
    one_node node;
    node.agent("hotel").follow(scripted_agent::hang);
    node.submit("t1");
    const auto order = node.agent("hotel").last();
    node.agent("hotel").follow(scripted_agent::succeed);
    node.advance(order.complete_by - node.now() - 1ms);
    if (!in_time) {
      // The reply has reached the mailbox when the clock moves, ahead of the timer.
      node.agent("hotel").say(node.system(), report_on(order, report_kind::succeeded, "{}"));
      node.system().move_clock(1ms);
    } else {
      node.agent("hotel").say(node.system(), report_on(order, report_kind::succeeded, "{}"));
    }
    node.run();
    CHECK(node.step_state("t1", 0) == (in_time ? "completed" : "running"));
    CHECK(node.late_replies("t1").size() == (in_time ? 0 : 1));
  }
}

TEST_CASE("row 26: the second of two replies to one order is ignored") {
  one_node node;
  node.agent("flight").follow(scripted_agent::hang);
  node.submit("t1");
  const auto order = node.agent("hotel").last();
  node.agent("hotel").say(node.system(), report_on(order, report_kind::failed_permanent, "no"));
  node.run();
  CHECK(node.step_state("t1", 0) == "completed");
  CHECK(node.state("t1") == "processing");
  CHECK(node.late_replies("t1").size() == 1);
}

TEST_CASE("row 26: two replies in the mailbox at once count as one, and the other is evidence") {
  one_node node;
  node.agent("flight").follow(scripted_agent::hang);
  node.submit("t1");
  const auto order = node.agent("flight").last();
  node.agent("flight").say(node.system(), report_on(order, report_kind::succeeded, "1"));
  node.agent("flight").say(node.system(), report_on(order, report_kind::succeeded, "2"));
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.task("t1").steps[1].result.view() == "1");
  CHECK(node.late_replies("t1").size() == 1);
}

TEST_CASE("row 27: a reply to attempt 1 while attempt 2 is at work is ignored, and attempt 2 decides") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto first = node.agent("hotel").last();
  node.advance(35s);
  const auto second = node.agent("hotel").last();
  REQUIRE(second.attempt == 2);
  node.agent("hotel").say(node.system(), report_on(first, report_kind::succeeded, "1"));
  node.run();
  CHECK(node.step_state("t1", 0) == "running");
  node.agent("hotel").say(node.system(), report_on(second, report_kind::succeeded, "2"));
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.task("t1").steps[0].result.view() == "2");
  REQUIRE(node.late_replies("t1").size() == 1);
  CHECK(node.late_replies("t1")[0].what.attempt == 1);
}

TEST_CASE("row 28: a success that comes after undo began does not count, and the undo covers the step") {
  one_node node;
  node.agent("flight").follow([](const step_order& o) {
    return o.action == attempt_action::perform ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  const auto first = node.agent("flight").orders_of("flight").at(0);
  node.advance(65s); // both rounds have failed
  REQUIRE(node.task("t1").state == workflow::process_state::undone);
  node.agent("flight").say(node.system(), report_on(first, report_kind::succeeded, "{}"));
  node.run();
  CHECK(node.state("t1") == "undone");
  CHECK(node.step_state("t1", 1) == "compensated");
  CHECK(node.late_replies("t1").size() == 1);
  CHECK(node.agent("flight").orders_of("flight", attempt_action::compensate).size() == 1);
}

TEST_CASE("row 29: a result that is too large is refused by the store, and the step times out") {
  one_node node;
  node.agent("hotel").follow([first = true](const step_order& o) mutable {
    return std::exchange(first, false) ? std::optional{report_on(o, report_kind::succeeded, std::string(2 << 20, 'x'))}
                                       : scripted_agent::succeed(o);
  });
  node.submit("t1");
  CHECK(node.step_state("t1", 0) == "running");
  CHECK(node.reaches("t1", "processed", 1min));
  CHECK(node.task("t1").steps[0].log[0].outcome == attempt_outcome::expired);
}

TEST_CASE("row 29: reports of an unknown kind or of a step that does not exist do no harm") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  auto no_step = report_on(node.agent("hotel").last(), report_kind::succeeded, "{}");
  no_step.step = 4'000'000'000;
  node.agent("hotel").say(node.system(), no_step);
  node.run();
  CHECK(node.step_state("t1", 0) == "running");
  CHECK(node.late_replies("t1").size() == 1);
  node.agent("hotel").follow(scripted_agent::succeed);
  node.agent("hotel").say(node.system(), report_on(node.agent("hotel").last(), static_cast<report_kind>(99), "{}"));
  node.run();
  CHECK(node.task("t1").steps[0].log[0].outcome == attempt_outcome::failed_transient);
  CHECK(node.reaches("t1", "processed", 1min));
}

TEST_CASE("row 29: a result that is no JSON is kept as it is, a step that needs a value of it fails for good") {
  tests::node_settings settings;
  auto& flight = settings.definitions[0].steps[1];
  flight.input = {{"room", {workflow::source::kind::result, "hotel", "/room", {}}}};
  one_node node{settings};
  node.agent("hotel").follow([](const step_order& o) { return report_on(o, report_kind::succeeded, "\x01garbage"); });
  node.submit("t1");
  CHECK(node.reaches("t1", "undone", 1min));
  CHECK(node.agent("flight").orders().empty());
  CHECK(node.task("t1").steps[1].error
        == "input `room`: the result of step `hotel` is not JSON, or is nested too deep");
}

TEST_CASE("row 30: a report on a task that was never ordered is refused and kept") {
  one_node node;
  node.submit("t1");
  const auto before = node.task("t1");
  auto stray = report_on(node.agent("hotel").last(), report_kind::failed_permanent, "no");
  node.agent("hotel").say(node.system(), stray); // not in flight any more
  stray.task_number = 4711;
  node.agent("hotel").say(node.system(), stray); // not known at all
  node.run();
  CHECK(node.task("t1") == before);
  CHECK(node.late_replies("t1").size() == 1);
  CHECK(node.submit("t2")->created); // all goes on
  CHECK(node.state("t2") == "processed");
}

TEST_CASE("row 31: after a permanent error there is no other attempt, and undo begins") {
  one_node node;
  node.agent("flight").follow(scripted_agent::fail(1, report_kind::failed_permanent));
  node.submit("t1");
  CHECK(node.state("t1") == "undone");
  CHECK(node.agent("flight").orders().size() == 1);
  CHECK(node.agent("hotel").orders_of("hotel", attempt_action::compensate).size() == 1);
  CHECK(node.step_state("t1", 1) == "failed");
  CHECK(node.task("t1").cause == "step `flight` failed for good: the service says no");
}

TEST_CASE(
  "row 32: transient errors up to the limit keep the back-off, then the cool-off, and then the task is undone") {
  tests::node_settings settings;
  settings.definitions[0].steps[0].cool_off = {100s, 1};
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::fail(1000, report_kind::failed_transient));
  node.submit("t1");
  CHECK(node.reaches("t1", "undone", 10min));
  std::vector<std::int64_t> waits; // in seconds
  const auto task = node.task("t1");
  const auto& log = task.steps[0].log;
  for (std::size_t i = 1; i < log.size(); ++i)
    waits.push_back((log[i].started_at - log[i - 1].ended_at) / 1s);
  // A round is two attempts a second apart. Two rounds a second apart, a cool-off, and two rounds more.
  CHECK(waits == std::vector<std::int64_t>{1, 1, 1, 100, 1, 1, 1});
  CHECK(node.agent("hotel").orders().size() == 8);
}

TEST_CASE("row 32: at the limit a task may go to error instead, with an alert") {
  tests::node_settings settings;
  settings.definitions[0].steps[1].exhausted = workflow::on_exhausted::error;
  one_node node{settings};
  node.agent("flight").follow(scripted_agent::fail(1000, report_kind::failed_transient));
  node.submit("t1");
  CHECK(node.reaches("t1", "error", 10min));
  CHECK(node.alerts() == std::vector<std::string>{"error"});
  CHECK(node.step_state("t1", 0) == "completed");
}

TEST_CASE("a wait that the service asks for is kept when it is longer than the back-off") {
  one_node node;
  node.agent("hotel").follow([first = true](const step_order& o) mutable {
    auto r = *scripted_agent::succeed(o);
    if (std::exchange(first, false)) {
      r.kind = report_kind::failed_transient;
      r.retry_after = 17s;
    }
    return std::optional{r};
  });
  node.submit("t1");
  node.advance(16'999ms);
  CHECK(node.agent("hotel").orders().size() == 1);
  node.advance(1ms);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("row 35: an agent that comes back with its memory gone has its old replies refused by epoch and attempt") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto order = node.agent("hotel").last();
  auto of_old_epoch = report_on(order, report_kind::succeeded, "{}");
  of_old_epoch.epoch = order.epoch - 1;
  auto of_future = of_old_epoch;
  of_future.epoch = order.epoch + 1;
  auto of_other_attempt = report_on(order, report_kind::succeeded, "{}");
  of_other_attempt.attempt = 7;
  for (const auto& r : {of_old_epoch, of_future, of_other_attempt})
    node.agent("hotel").say(node.system(), r);
  node.run();
  CHECK(node.step_state("t1", 0) == "running");
  CHECK(node.late_replies("t1").size() == 3);
  node.agent("hotel").follow(scripted_agent::succeed);
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(order));
  node.run();
  CHECK(node.state("t1") == "processed");
}

TEST_CASE(
  "row 36: with all agents of a kind gone tasks wait and say so, an alert follows, and others are not affected") {
  tests::node_settings settings;
  settings.definitions.push_back(tests::pipeline("walk", {tests::step_named("shoes")}));
  one_node node{settings};
  const auto alive = [&node](const std::vector<std::string>& steps) {
    actors::agents_alive all;
    for (const auto& step : steps)
      all.agents.push_back({"agent_of_" + step, "n1", node.agent(step).spawn(node.system())});
    node.system().tell(caf::strong_actor_ptr{}, node.schedulers.at(0), all);
    node.run();
  };
  alive({"hotel", "shoes"});
  node.submit("t1");
  node.advance(30s);
  CHECK(node.state("t1") == "pending");
  CHECK(node.task("t1").steps[1].waiting_for == "no agent `agent_of_flight` is alive");
  CHECK(node.task("t1").steps[1].not_before > node.now());
  CHECK(node.alerts().empty());
  node.advance(35s);
  CHECK(node.alerts() == std::vector<std::string>{"waiting"});
  auto other = node.order_for("t2");
  other.workflow = "walk";
  node.submit(other);
  CHECK(node.state("t2") == "processed");
  CHECK(node.agent("flight").orders().empty());
  alive({"hotel", "shoes", "flight"});
  CHECK(node.reaches("t1", "processed", 1min));
  CHECK(node.task("t1").failure_count == 0);
  CHECK(node.alerts().empty()); // it went away by itself
  CHECK(node.store().incidents(false, {}, 10).incidents.size() == 1);
}

TEST_CASE("a step of a graph that is slow does not hold up one that does not depend on it") {
  auto d = tests::trip();
  d.steps[1].after.emplace();
  tests::node_settings settings;
  settings.definitions = {d};
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  CHECK(node.step_state("t1", 1) == "completed");
  CHECK(node.step_state("t1", 0) == "running");
}

TEST_CASE("an unknown outcome is asked about before the step is repeated, and a probe that says yes completes it") {
  tests::node_settings settings;
  settings.definitions[0].steps[0].probe = workflow::probe{"agent_of_hotel", 10s};
  for (const bool happened : {true, false}) {
    one_node node{settings};
    node.agent("hotel").follow([happened, first = true](const step_order& o) mutable {
      if (o.action == attempt_action::probe)
        return happened ? scripted_agent::succeed(o) : std::optional{report_on(o, report_kind::denied)};
      return std::exchange(first, false) ? std::nullopt : scripted_agent::succeed(o);
    });
    node.submit("t1");
    CHECK(node.reaches("t1", "processed", 1min));
    CHECK(node.agent("hotel").orders_of("hotel").size() == (happened ? 1 : 2));
    const auto probes = node.agent("hotel").orders_of("hotel", attempt_action::probe);
    REQUIRE(probes.size() == 1);
    CHECK(probes[0].reverses == "t1/hotel");
  }
}
