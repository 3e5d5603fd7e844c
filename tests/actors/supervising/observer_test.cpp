// Progress reaches the observer in order and at least once, over restarts of either side.

#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <caf/typed_event_based_actor.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::progress;
using actors::report_kind;
using tests::one_node;
using tests::recorder;
using tests::scripted_agent;

namespace {

using strings = std::vector<std::string>;

void submit_for(one_node& node, const std::string& observer, const std::string& id) {
  auto order = node.order_for(id);
  order.reply_to = observer;
  REQUIRE(node.submit(order)->created);
}

void listen_as(one_node& node, const recorder<progress>& who, const std::string& observer) {
  node.system().tell(who.handle(), node.gateway, actors::observe{observer});
  node.run();
}

void acknowledge(one_node& node, const recorder<progress>& who, const progress& p) {
  node.system().tell(who.handle(), node.gateway, actors::progress_seen{p.observer, p.task_number, p.sequence});
  node.run();
}

/// "1 accepted", "2 step_started hotel", ...
strings told(const std::vector<progress>& all) {
  strings lines;
  for (const auto& p : all)
    lines.push_back(std::to_string(p.sequence) + " "
                    + std::string{to_string(static_cast<workflow::notice_kind>(p.kind))}
                    + (p.step.empty() ? "" : " " + p.step));
  return lines;
}

const strings whole_trip{
  "1 accepted", "2 step_started hotel", "3 step_completed hotel", "4 step_started flight", "5 step_completed flight",
  "6 processed"};

/// Keeps what it is told and acknowledges each at once.
actors::observer_actor attentive(one_node& node, std::shared_ptr<std::vector<progress>> seen) {
  return node.system().keep(node.system().system().spawn(
    [seen, gateway = node.gateway](actors::observer_actor::pointer self) -> actors::observer_actor::behavior_type {
      return {[self, seen, gateway](const progress& p) {
        seen->push_back(p);
        actors::tell(self, gateway, actors::progress_seen{p.observer, p.task_number, p.sequence});
      }};
    }));
}

} // namespace

TEST_CASE("an observer is told of all progress, in order, with ascending sequence numbers") {
  one_node node;
  recorder<progress> ada{node.system().system()};
  listen_as(node, ada, "ada");
  submit_for(node, "ada", "t1");
  CHECK(told(ada.seen()) == whole_trip);
  for (const auto& p : ada.seen()) {
    CHECK(p.task_id == "t1");
    CHECK(p.observer == "ada");
  }
}

TEST_CASE("the end of a task that is undone is told with its cause") {
  one_node node;
  recorder<progress> ada{node.system().system()};
  listen_as(node, ada, "ada");
  node.agent("hotel").follow(scripted_agent::fail(1, report_kind::failed_permanent));
  submit_for(node, "ada", "t1");
  CHECK(told(ada.seen()) == strings{"1 accepted", "2 step_started hotel", "3 undoing", "4 undone"});
  CHECK(ada.seen().back().text == "step `hotel` failed for good: the service says no");
}

TEST_CASE("row 77: what an observer missed waits for it, also over a restart, and is told in order when it comes") {
  one_node node;
  submit_for(node, "ada", "t1");
  submit_for(node, "ada", "t2");
  node.restart();
  recorder<progress> ada{node.system().system()};
  listen_as(node, ada, "ada");
  auto both = whole_trip;
  both.insert(both.end(), whole_trip.begin(), whole_trip.end());
  CHECK(told(ada.seen()) == both);
}

TEST_CASE("row 77: an alert stays open over restarts until a person accepts it") {
  tests::node_settings settings;
  auto& hotel = settings.definitions[0].steps[0];
  hotel.exhausted = workflow::on_exhausted::error;
  hotel.threshold = 1;
  hotel.retry.attempts = 1;
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::fail(1, report_kind::failed_transient));
  node.submit("t1");
  REQUIRE(node.alerts() == strings{"error"});
  node.restart();
  node.restart();
  const auto alerts = node.store().alerts(true, 10);
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].task_id == "t1");
  node.store().commit({store::acknowledge_alert{alerts[0].number, "grace", node.now()}});
  CHECK(node.alerts().empty());
}

TEST_CASE("progress that was not acknowledged is told again with the same sequence, and what was is not") {
  one_node node;
  {
    recorder<progress> ada{node.system().system()};
    listen_as(node, ada, "ada");
    submit_for(node, "ada", "t1");
    acknowledge(node, ada, ada.seen().at(2));
  }
  node.restart();
  recorder<progress> back{node.system().system()};
  listen_as(node, back, "ada");
  CHECK(told(back.seen()) == strings(whole_trip.begin() + 3, whole_trip.end()));
}

TEST_CASE("an observer that comes back on the same node begins with what it has not acknowledged") {
  one_node node;
  recorder<progress> ada{node.system().system()};
  listen_as(node, ada, "ada");
  submit_for(node, "ada", "t1");
  recorder<progress> back{node.system().system()};
  listen_as(node, back, "ada");
  CHECK(told(back.seen()) == whole_trip);
  submit_for(node, "ada", "t2");
  CHECK(ada.seen().size() == 6);
  CHECK(back.seen().size() == 12);
}

TEST_CASE("row 77: what could not be read for an observer is read again, though nothing else happens") {
  one_node node;
  recorder<progress> ada{node.system().system()};
  submit_for(node, "ada", "t1");
  node.store().fail_reads(true);
  listen_as(node, ada, "ada");
  node.advance(1min);
  REQUIRE(ada.seen().empty());
  node.store().fail_reads(false);
  node.advance(2s);
  CHECK(told(ada.seen()) == whole_trip);
}

TEST_CASE("observers are told of their own tasks only") {
  one_node node;
  recorder<progress> ada{node.system().system()};
  recorder<progress> bob{node.system().system()};
  listen_as(node, ada, "ada");
  listen_as(node, bob, "bob");
  submit_for(node, "ada", "t1");
  node.submit("of-nobody");
  CHECK(ada.seen().size() == 6);
  CHECK(bob.seen().empty());
}

TEST_CASE("P28: an observer that is gone is forgotten, and what it was not told waits for it") {
  one_node node;
  const auto observers = [&node] {
    const auto state = node.system().ask<actors::actor_state>(node.notifier, actors::inspect_state{100}).value();
    return nlohmann::json::parse(state.tree).at("observers").size();
  };
  recorder<progress> first{node.system().system()};
  listen_as(node, first, "shop");
  REQUIRE(observers() == 1);
  actors::exit_now(first.handle());
  node.run();
  CHECK(observers() == 0);
  submit_for(node, "shop", "t1");
  recorder<progress> second{node.system().system()};
  listen_as(node, second, "shop");
  CHECK(told(second.seen()) == whole_trip);
}

TEST_CASE("an observer that acknowledges nothing is told no more than its window, one that does is told everything") {
  constexpr std::size_t tasks = 60;
  constexpr std::size_t window = 256;
  static_assert(tasks * 6 > window);
  one_node node;
  for (std::size_t i = 0; i < tasks; ++i)
    submit_for(node, "ada", "t" + std::to_string(i));
  recorder<progress> deaf{node.system().system()};
  listen_as(node, deaf, "ada");
  CHECK(deaf.seen().size() == window);
  const auto seen = std::make_shared<std::vector<progress>>();
  node.system().tell(attentive(node, seen), node.gateway, actors::observe{"ada"});
  node.run();
  CHECK(seen->size() == tasks * 6);
  CHECK(node.store().notices("ada", 0, 0, 1000).empty());
}
