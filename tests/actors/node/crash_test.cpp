// The process dies while a task is on its way; the next life goes on from what is on disk.

#include "simulation/judge/count_all.hpp"
#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::attempt_reports;
using actors::flush;
using tests::one_node;
using tests::report_on;
using tests::scripted_agent;
using workflow::attempt_action;

namespace {

/// The keys of all orders sent to the agent of a step, one for each order.
std::vector<std::string> keys(one_node& node, const std::string& step) {
  std::vector<std::string> found;
  for (const auto& o : node.agent(step).orders())
    found.push_back(o.key);
  return found;
}

/// A trip whose flight is refused for good, so that its hotel has to be undone.
void refuse_flight(one_node& node) {
  node.agent("flight").follow([](const actors::step_order& o) -> std::optional<actors::attempt_report> {
    if (o.action != attempt_action::perform)
      return scripted_agent::succeed(o);
    auto no = report_on(o, actors::report_kind::failed_permanent, "the service says no");
    no.maybe_done = false;
    return no;
  });
}

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("row 10: after a death with an order at work the same attempt is ordered again, with the same key") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  REQUIRE(node.agent("hotel").orders().size() == 1);
  const auto before = node.agent("hotel").last();
  node.crash();
  node.agent("hotel").follow(scripted_agent::succeed);
  node.start();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(keys(node, "hotel") == strings{"t1/hotel", "t1/hotel"});
  CHECK(node.agent("hotel").last().epoch > before.epoch);
}

TEST_CASE("row 10: the reply to an order of the former life is refused and kept as evidence") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto former = node.agent("hotel").last();
  node.restart();
  node.run();
  node.agent("hotel").say(node.system(), report_on(former, actors::report_kind::succeeded, "{}"));
  node.run();
  CHECK(node.step_state("t1", 0) == "running");
  const auto late = node.late_replies("t1");
  REQUIRE(late.size() == 1);
  CHECK(late[0].what.epoch == former.epoch);
  CHECK(late[0].what.why == "it was ordered under an older lock");
}

TEST_CASE(
  "row 11: a reply that was received and not committed is as good as lost, the order is repeated with its key") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<attempt_reports>("scheduler");
  node.step();
  node.run_until_next<flush>("store_actor");
  REQUIRE(node.step_state("t1", 0) == "running");
  node.restart();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(keys(node, "hotel") == strings{"t1/hotel", "t1/hotel"});
  CHECK(keys(node, "flight") == strings{"t1/flight"});
}

TEST_CASE(
  "row 12: killed after the completion commit, the next life starts the next step and does not repeat this one") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<attempt_reports>("scheduler");
  node.step();
  node.run_until_next<flush>("store_actor");
  node.step();
  REQUIRE(node.step_state("t1", 0) == "completed");
  node.crash();
  REQUIRE(node.agent("flight").orders().empty());
  node.start();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(keys(node, "hotel") == strings{"t1/hotel"});
  CHECK(keys(node, "flight") == strings{"t1/flight"});
}

TEST_CASE("row 13: killed after the last commit, the outcome can be read and the observer is told by the next life") {
  one_node node;
  node.run();
  auto order = node.order_for("t1");
  order.reply_to = "ada";
  node.begin_to_submit(order);
  node.run_until_next<attempt_reports>("scheduler", [](const attempt_reports& m) { return m.all.at(0).step == 1; });
  node.step();
  node.run_until_next<flush>("store_actor");
  node.step();
  REQUIRE(node.state("t1") == "processed");
  node.restart();
  tests::recorder<actors::progress> ada{node.system().system()};
  node.system().tell(ada.handle(), node.gateway, actors::observe{"ada"});
  node.run();
  REQUIRE_FALSE(ada.seen().empty());
  CHECK(ada.seen().back().kind == static_cast<std::uint8_t>(workflow::notice_kind::processed));
  CHECK(node.submit(order)->state == workflow::process_state::processed);
  CHECK(keys(node, "flight") == strings{"t1/flight"});
}

TEST_CASE("row 16: when two schedulers reach for one task, exactly one gets it") {
  tests::node_settings settings;
  settings.schedulers = {"s1", "s2"};
  one_node node{settings};
  for (int i = 0; i < 20; ++i)
    node.begin_to_submit("t" + std::to_string(i));
  node.run();
  CHECK(node.agent("hotel").orders().size() == 20);
  CHECK(node.agent("flight").orders().size() == 20);
  for (int i = 0; i < 20; ++i) {
    const auto t = node.task("t" + std::to_string(i));
    CHECK(t.state == workflow::process_state::processed);
    CHECK(t.lock_epoch == 1);
  }
}

TEST_CASE("row 18: with every scheduler gone nothing is lost, and another one that comes later finishes all") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  for (int i = 0; i < 10; ++i)
    node.submit("t" + std::to_string(i));
  node.settings().schedulers = {};
  node.restart();
  node.advance(10min);
  CHECK(node.state("t0") == "pending");
  node.agent("hotel").follow(scripted_agent::succeed);
  node.settings().schedulers = {"s9"};
  node.restart();
  node.advance(1min);
  for (int i = 0; i < 10; ++i)
    CHECK(node.state("t" + std::to_string(i)) == "processed");
}

TEST_CASE(
  "row 72: killed at any message while a task is undone, the undo is finished and what is recorded is not repeated") {
  int crashes = 0;
  for (int at = 0; at < 200; ++at) {
    INFO("killed after message " << at);
    one_node node;
    node.run();
    refuse_flight(node);
    node.begin_to_submit("t1");
    node.run_until_next<attempt_reports>("scheduler", [](const attempt_reports& m) { return m.all.at(0).step == 1; });
    bool is_over = false;
    for (int i = 0; i < at && !is_over; ++i)
      is_over = !node.system().step();
    if (is_over)
      break;
    ++crashes;
    const auto was_undone = node.step_state("t1", 0) == "compensated";
    const auto undos_before = node.agent("hotel").orders_of("hotel", attempt_action::compensate).size();
    node.restart();
    REQUIRE(node.reaches("t1", "undone", 10min));
    const auto undos = node.agent("hotel").orders_of("hotel", attempt_action::compensate);
    REQUIRE_FALSE(undos.empty());
    for (const auto& o : undos) {
      REQUIRE(o.key == "t1/hotel/undo");
      REQUIRE(o.reverses == "t1/hotel");
    }
    if (was_undone)
      REQUIRE(undos.size() == undos_before);
    REQUIRE(node.step_state("t1", 0) == "compensated");
    REQUIRE(node.agent("hotel").orders_of("hotel").size() == 1);
    REQUIRE(node.broken_invariants().empty());
  }
  CHECK(crashes >= 10);
}

TEST_CASE("killed at any message of a task's life, it ends processed and no completed step is ordered again") {
  int crashes = 0;
  for (int at = 0; at < 300; ++at) {
    INFO("killed after message " << at);
    one_node node;
    node.run();
    node.begin_to_submit("t1");
    bool is_over = false;
    for (int i = 0; i < at && !is_over; ++i)
      is_over = !node.system().step();
    if (is_over)
      break;
    ++crashes;
    const auto found = node.store().find("t1");
    const auto orders_before = node.agent("hotel").orders().size();
    const bool hotel_done = found && found->steps[0].state == workflow::step_state::completed;
    node.restart();
    node.submit("t1");
    REQUIRE(node.reaches("t1", "processed", 10min));
    if (hotel_done)
      REQUIRE(node.agent("hotel").orders().size() == orders_before);
    REQUIRE(node.agent("hotel").orders().size() <= 2);
    REQUIRE(node.agent("flight").orders().size() <= 2);
    REQUIRE(simulation::count_all(node.store()) == 1);
    REQUIRE(node.broken_invariants().empty());
  }
  CHECK(crashes > 20);
}

TEST_CASE("an attempt that another scheduler took over may have acted before, whatever is said of its repetition") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang); // it acts, and its reply is lost with the node
  node.submit("t1");
  node.crash();
  node.agent("hotel").follow([](const actors::step_order& o) {
    if (o.action != attempt_action::perform)
      return scripted_agent::succeed(o);
    auto r = report_on(o, actors::report_kind::failed_permanent, "not now");
    r.maybe_done = false;
    return std::optional{r};
  });
  node.start();
  node.run();
  const auto hotel = node.task("t1").steps[0];
  CHECK(node.state("t1") == "undoing"); // the lost one may act until then
  CHECK(hotel.settles_at > node.now());
  CHECK(node.reaches("t1", "undone", hotel.settles_at - node.now() + 1s));
  CHECK(node.agent("hotel").orders_of("hotel", attempt_action::compensate).size() == 1);
}

TEST_CASE("row 76: a task that loses its scheduler each time is set aside with an alert, and the others go on") {
  tests::node_settings settings;
  settings.definitions[0].takeovers_max = 3;
  one_node node{settings};
  node.agent("hotel").follow(
    [](const actors::step_order& o) { return o.task_id == "poison" ? std::nullopt : scripted_agent::succeed(o); });
  node.submit("poison");
  for (int i = 0; i < 4; ++i) {
    CHECK(node.state("poison") == "processing");
    node.restart(); // the poison killed it
    node.run();
  }
  CHECK(node.state("poison") == "error");
  CHECK(node.alerts() == strings{"set_aside"});
  CHECK(node.agent("hotel").orders_of("hotel").size() == 4);
  node.submit("t1");
  CHECK(node.state("t1") == "processed");
  node.restart();
  node.run();
  CHECK(node.state("poison") == "error");
  CHECK(node.agent("hotel").orders_of("hotel").size() == 5);
}

TEST_CASE("a task that makes progress between the deaths of its scheduler is never set aside") {
  tests::node_settings settings;
  settings.definitions[0].takeovers_max = 2;
  settings.definitions[0].steps[0].retry.attempts = 100;
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::fail(10, actors::report_kind::failed_transient));
  node.submit("t1");
  for (int i = 0; i < 9; ++i) {
    node.restart();
    REQUIRE(node.system().advance_until(
      [&] { return node.agent("hotel").orders().size() == static_cast<std::size_t>(i) + 2; }, 10min));
  }
  CHECK(node.reaches("t1", "processed", 10min));
}
