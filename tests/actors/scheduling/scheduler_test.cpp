// How a scheduler takes work and gives it back.

#include "tests/actors/one_node.hpp"
#include "tests/actors/shown.hpp"
#include "workflow/supervision/node_card.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::one_node;
using tests::scripted_agent;

namespace {

using strings = std::vector<std::string>;

tests::shown_scheduler view_of_scheduler(one_node& node) {
  return tests::shown_by_scheduler(node.system(), node.schedulers.at(0));
}

strings ids_in_order(const std::vector<actors::step_order>& orders) {
  strings ids;
  for (const auto& o : orders)
    ids.push_back(o.task_id);
  return ids;
}

nlohmann::json state_of_scheduler(one_node& node) {
  const auto state = node.system().ask<actors::actor_state>(node.schedulers.at(0), actors::inspect_state{100});
  return nlohmann::json::parse(state.value().tree);
}

tests::node_settings with_bound(std::uint32_t in_flight_max) {
  tests::node_settings settings;
  settings.in_flight_max = in_flight_max;
  return settings;
}

} // namespace

TEST_CASE("a scheduler has no more tasks in flight than its bound, the others stay pending in the store") {
  one_node node{with_bound(3)};
  node.agent("hotel").follow(scripted_agent::hang);
  for (int i = 0; i < 10; ++i)
    node.submit("t" + std::to_string(i));
  CHECK(node.agent("hotel").orders().size() == 3);
  CHECK(view_of_scheduler(node).in_flight == 3);
  CHECK(node.state("t3") == "pending");
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(node.agent("hotel").orders()[1]));
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.state("t3") == "processing");
  CHECK(view_of_scheduler(node).in_flight == 3);
}

TEST_CASE("row 132: when a task ends, the next with its key begins at once") {
  tests::node_settings settings;
  settings.definitions[0].limit = workflow::limit_rule{"/for", 1};
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  for (const auto* id : {"t1", "t2", "t3"})
    node.submit(id);
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.state("t2") == "pending");
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(node.agent("hotel").orders()[0]));
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.state("t2") == "processing");
  CHECK(node.state("t3") == "pending");
}

TEST_CASE("P28: what a scheduler has counted up while it worked has come down again when all is done") {
  one_node node;
  node.agent("hotel").follow([](const actors::step_order& o) { // some are silent, some fail, the others do it
    if (o.attempt == 1 && o.task_id == "t1")
      return std::optional<actors::attempt_report>{};
    return std::optional{tests::report_on(o, o.attempt == 1 && o.task_id == "t2" ? actors::report_kind::failed_transient
                                                                                 : actors::report_kind::succeeded)};
  });
  for (int i = 0; i < 10; ++i)
    node.submit("t" + std::to_string(i));
  for (int i = 0; i < 10; ++i)
    REQUIRE(node.reaches("t" + std::to_string(i), "processed", 5min));
  const auto state = state_of_scheduler(node);
  INFO(state.dump());
  CHECK(state.at("tasks").empty());
  CHECK(state.at("timers") == 0);
  for (const auto& a : state.at("agents")) {
    CHECK(a.at("in_flight") == 0);
    CHECK(a.at("unanswered") == 0);
  }
}

TEST_CASE("what nobody else has changed is not read again") {
  one_node node;
  for (int i = 0; i < 10; ++i)
    node.submit("t" + std::to_string(i));
  node.run();
  REQUIRE(node.state("t9") == "processed");
  CHECK(node.store().tasks_read() == 0);
  CHECK(node.store().definitions_read() <= 2); // by the store actor and by the reader, once each
}

TEST_CASE("work is taken by priority, then by age") {
  one_node node{with_bound(1)};
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("first");
  for (const auto& [id, priority] :
       std::vector<std::pair<std::string, int>>{{"low", 9}, {"b", 5}, {"c", 5}, {"urgent", 0}}) {
    auto order = node.order_for(id);
    order.priority = static_cast<std::uint8_t>(priority);
    node.submit(order);
  }
  node.agent("hotel").follow(scripted_agent::succeed);
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(node.agent("hotel").last()));
  node.run();
  CHECK(ids_in_order(node.agent("hotel").orders()) == strings{"first", "urgent", "b", "c", "low"});
}

TEST_CASE("a task that must not start yet is taken at its time and not before") {
  one_node node;
  auto order = node.order_for("t1");
  order.not_before = node.now() + 10min;
  node.submit(order);
  node.advance(10min - 1ms);
  CHECK(node.agent("hotel").orders().empty());
  node.advance(1ms);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("a task that must not start in the next thousands of years keeps nobody busy") {
  one_node node;
  auto order = node.order_for("t1");
  order.not_before = workflow::instant_max;
  node.submit(order);
  node.run();
  int woken = 0;
  for (; woken < 100 && node.system().trigger_due_timer(); ++woken)
    node.run();
  CHECK(woken < 100);
  CHECK(node.state("t1") == "pending");
}

TEST_CASE("a task that must not start yet is taken at its time by a scheduler that was started since") {
  one_node node;
  auto order = node.order_for("t1");
  order.not_before = node.now() + 10min;
  node.submit(order);
  node.restart();
  node.advance(10min);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("row 14: a claim takes nothing when the node's lease has gone to a later epoch meanwhile") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<actors::write_requests>("store_actor", [](const actors::write_requests& m) {
    return std::holds_alternative<store::claim_tasks>(*m.all.at(0).what);
  });
  node.store().commit({store::acquire_lease{workflow::node_lease_name("s1"), "s1", {}, 10s, node.now()}});
  node.run();
  CHECK(node.state("t1") == "pending");
}

TEST_CASE("row 17: with many tasks in flight a restart resumes all of them, never more at a time than the bound") {
  auto settings = with_bound(50);
  settings.claim_max = 20;
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  for (int i = 0; i < 200; ++i)
    node.submit("t" + std::to_string(i));
  REQUIRE(node.agent("hotel").orders().size() == 50);
  node.restart();
  node.run();
  const auto& orders = node.agent("hotel").orders();
  REQUIRE(orders.size() == 100);
  std::map<std::string, std::uint32_t> resumed;
  for (const auto& o : orders) {
    CHECK(o.attempt == 1);
    ++resumed[o.task_id];
  }
  CHECK(resumed.size() == 50); // those that were in flight, each again
  CHECK(view_of_scheduler(node).in_flight == 50);
  node.agent("hotel").follow(scripted_agent::succeed);
  node.restart();
  node.run();
  CHECK(node.store().counts().tasks[workflow::process_state::processed] == 200);
}

TEST_CASE("row 22: an attempt that an agent got is not taken for never sent when the agent is gone and the task is "
          "read again") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.run();
  REQUIRE(node.agent("hotel").orders().size() == 1);
  node.system().tell(node.gateway, node.schedulers[0], actors::agents_alive{});
  node.run();
  REQUIRE(node.act("t1", actors::task_act::suspend).done); // so that the scheduler reads it again
  node.run();
  CHECK(node.task("t1").steps[0].doing == workflow::attempt_action::perform);
  node.advance(1h);
  CHECK(node.task("t1").steps[0].log[0].outcome == workflow::attempt_outcome::expired);
  CHECK(node.step_state("t1", 0) == "unknown");
}

TEST_CASE("row 64: an attempt that found no agent is not ordered while that is still to be stored") {
  auto d = tests::trip();
  d.steps[1].after.emplace(); // in parallel with the other
  tests::node_settings settings;
  settings.definitions = {d};
  one_node node{settings};
  node.system().tell(node.gateway, node.schedulers[0], actors::agents_alive{});
  node.run();
  bool is_first = true;
  node.store().fail_next(tests::store_tap::fault::reported_unknown, [&](const store::write_list& batch) {
    return std::holds_alternative<store::update_task>(*batch.front()) && std::exchange(is_first, false);
  });
  node.submit("t1");
  node.run();
  auto& flight = node.agent("flight");
  flight.follow(scripted_agent::hang);
  const actors::agent_offer back{"agent_of_flight", "n1", flight.spawn(node.system())};
  node.system().tell(node.gateway, node.schedulers[0], actors::agents_alive{{back}});
  node.system().advance_until([&] { return !flight.orders().empty(); }, 1min);
  REQUIRE_FALSE(flight.orders().empty());
  const auto t = node.task("t1");
  for (const auto& o : flight.orders())
    CHECK(t.steps[1].log[o.attempt - 1].outcome == workflow::attempt_outcome::open);
}

TEST_CASE("a drained scheduler lets the open attempt finish, starts nothing new, and gives the task back") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto answer = node.system().begin_to_ask<actors::drained>(node.schedulers[0], actors::drain{20s});
  node.run();
  CHECK_FALSE(answer->has_value());
  node.submit("t2"); // is not taken any more
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(node.agent("hotel").last()));
  node.run();
  REQUIRE(answer->has_value());
  CHECK((*answer)->given_back == 1);
  CHECK((*answer)->finished == 0);
  CHECK(node.step_state("t1", 0) == "completed");
  CHECK(node.state("t1") == "pending");
  CHECK(node.state("t2") == "pending");
  CHECK(node.agent("flight").orders().empty());
  CHECK(node.task("t1").takeovers == 0);
  node.agent("hotel").follow(scripted_agent::succeed);
  node.restart();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.state("t2") == "processed");
  CHECK(node.agent("hotel").orders_of("hotel").size() == 2);
}

TEST_CASE("a drained scheduler counts a task whose last step ends meanwhile as finished") {
  one_node node;
  node.agent("flight").follow(scripted_agent::hang);
  node.submit("t1");
  const auto answer = node.system().begin_to_ask<actors::drained>(node.schedulers[0], actors::drain{20s});
  node.run();
  node.agent("flight").say(node.system(), *scripted_agent::succeed(node.agent("flight").last()));
  node.run();
  REQUIRE(answer->has_value());
  CHECK((*answer)->finished == 1);
  CHECK((*answer)->given_back == 0);
}

TEST_CASE(
  "at the limit of a drain everything is given back, with the attempt still open, and the next life orders it again") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto answer = node.system().begin_to_ask<actors::drained>(node.schedulers[0], actors::drain{5s});
  node.advance(4'999ms);
  CHECK_FALSE(answer->has_value());
  node.advance(1ms);
  REQUIRE(answer->has_value());
  CHECK((*answer)->given_back == 1);
  CHECK(node.state("t1") == "pending");
  CHECK(node.task("t1").takeovers == 0);
  node.agent("hotel").follow(scripted_agent::succeed);
  node.restart();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.agent("hotel").last().attempt == 1);
}

TEST_CASE("a drain waits for the tasks that were being taken when it came, and gives them back") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.run();
  node.begin_to_submit("t1");
  // The claim is on its way to the store.
  node.run_until_next<actors::write_requests>("store_actor", [](const actors::write_requests& m) {
    return std::holds_alternative<store::claim_tasks>(*m.all.at(0).what);
  });
  const auto answer = node.system().begin_to_ask<actors::drained>(node.schedulers[0], actors::drain{5s});
  while (!node.system().next_for<actors::drain>("scheduler")) {
    if (node.system().next_for<actors::write_requests>("store_actor"))
      node.system().choose(node.system().ready() - 1); // the store is slow
    else
      node.step();
  }
  node.step();
  CHECK_FALSE(answer->has_value());
  node.run();
  CHECK(node.state("t1") == "pending");
  REQUIRE(answer->has_value());
  CHECK((*answer)->given_back == 1);
}

TEST_CASE("waiting tasks are given back at once by a drain, and wait on in the store") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::fail(1, actors::report_kind::failed_transient));
  node.submit("t1");
  const auto until = node.task("t1").steps[0].not_before;
  const auto answer = node.system().ask<actors::drained>(node.schedulers[0], actors::drain{1min});
  REQUIRE(answer.has_value());
  CHECK(answer->given_back == 1);
  CHECK(node.task("t1").not_before == until);
}

TEST_CASE("a step whose wait is over while its scheduler is drained is not begun") {
  auto d = tests::trip();
  d.steps[1].after.emplace(); // in parallel with the other
  tests::node_settings settings;
  settings.definitions = {d};
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  node.agent("flight").follow(scripted_agent::fail(1, actors::report_kind::failed_transient));
  node.submit("t1");
  REQUIRE(node.agent("flight").orders().size() == 1);
  const auto answer = node.system().begin_to_ask<actors::drained>(node.schedulers[0], actors::drain{20s});
  node.advance(4s); // it was to wait for one; who sleeps for long loses the task to the supervisor
  CHECK_FALSE(answer->has_value());
  CHECK(node.agent("flight").orders().size() == 1);
}
