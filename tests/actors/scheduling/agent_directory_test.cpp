// What a scheduler knows of the agents: where its attempts are, and what becomes of the load when they are over.

#include "actors/scheduling/agent_directory.hpp"

#include "tests/actors/workflows.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;

namespace {

constexpr workflow::instant when_taken{1'767'268'800'000ms};

/// A trip whose step `hotel` is under way.
workflow::task trip_under_way(std::uint64_t number) {
  const auto d = tests::trip();
  workflow::submission s;
  s.id = "t" + std::to_string(number);
  s.workflow = d.name;
  auto t = workflow::apply(workflow::make_task(s, d, when_taken), d, workflow::taken{"s1"}, when_taken).next;
  t.number = number;
  REQUIRE(t.steps[0].doing == workflow::attempt_action::perform);
  return t;
}

workflow::task after_event(const workflow::task& t, const workflow::event& what, workflow::instant at = when_taken) {
  const auto change = workflow::apply(t, tests::trip(), what, at);
  REQUIRE(change.result == workflow::event_status::applied);
  return change.next;
}

/// Two nodes with the agent of `hotel`; what becomes of the orders is not needed here.
agents_alive two_nodes() {
  return {{{"agent_of_hotel", "a", {}}, {"agent_of_hotel", "b", {}}}};
}

std::uint64_t in_flight(const agent_directory& d) {
  std::uint64_t all = 0;
  for (const auto& load : d.loads())
    all += load.in_flight;
  return all;
}

std::uint64_t unanswered(const agent_directory& d) {
  std::uint64_t all = 0;
  for (const auto& load : d.loads())
    all += load.unanswered;
  return all;
}

} // namespace

TEST_CASE("P28: the load of an agent falls when its attempt is over, whatever ended it") {
  agent_directory d;
  d.learn(two_nodes());
  const auto t = trip_under_way(1);
  d.route(t, 0);
  REQUIRE(in_flight(d) == 1);
  SECTION("it answered") {
    d.settle(after_event(t, workflow::attempt_succeeded{{0, 1, t.lock_epoch}, workflow::blob{"{}"}, {}}));
  }
  SECTION("its complete-by passed") {
    d.settle(after_event(t, workflow::attempt_expired{{0, 1, t.lock_epoch}}, t.steps[0].complete_by));
    CHECK(unanswered(d) == 1);
  }
  SECTION("its task was lost to another scheduler") {
    d.forget(t.number);
  }
  SECTION("the same attempt is sent to somebody else") {
    d.route(t, 0);
    CHECK(in_flight(d) == 1);
    d.forget(t.number);
  }
  CHECK(in_flight(d) == 0);
}

TEST_CASE("an agent that let an attempt expire counts as loaded until it is heard of") {
  agent_directory d;
  d.learn(two_nodes());
  auto t = trip_under_way(1);
  d.route(t, 0);
  d.settle(after_event(t, workflow::attempt_expired{{0, 1, t.lock_epoch}}, t.steps[0].complete_by));
  REQUIRE(unanswered(d) == 1);
  d.heard_of(1, 0, false);
  CHECK(unanswered(d) == 0);
}

TEST_CASE("idle agents that let attempts expire get orders when the one that does the work declines them") {
  agent_directory d;
  d.learn(two_nodes());
  const auto load_of = [&](const std::string& node) {
    for (const auto& load : d.loads())
      if (load.node == node)
        return load;
    return agent_load{};
  };
  std::uint64_t task = 0;
  const auto let_expire = [&] {
    auto t = trip_under_way(++task);
    d.route(t, 0);
    d.settle(after_event(t, workflow::attempt_expired{{0, 1, t.lock_epoch}}, t.steps[0].complete_by));
  };
  for (int i = 0; i < 20; ++i)
    let_expire();
  REQUIRE(load_of("a").unanswered == 10);
  REQUIRE(load_of("b").unanswered == 10);
  auto answered = trip_under_way(++task);
  d.route(answered, 0);
  d.heard_of(task, 0, false);
  d.forget(task);
  const auto* const works = load_of("a").unanswered == 0 ? "a" : "b";
  const auto* const idles = works[0] == 'a' ? "b" : "a";
  for (int i = 0; i < 10; ++i) { // it has no room, and says so at once
    d.route(trip_under_way(++task), 0);
    d.heard_of(task, 0, true);
    d.forget(task);
  }
  CHECK(load_of(works).unanswered == 10);
  const auto before = load_of(idles).unanswered;
  let_expire();
  let_expire();
  CHECK(load_of(idles).unanswered > before);
}

TEST_CASE("what is known of an agent stays when others come and go, and is forgotten when it goes itself") {
  agent_directory d;
  d.learn({{{"agent_of_hotel", "a", {}}}});
  d.route(trip_under_way(1), 0);
  d.learn(two_nodes());
  CHECK(in_flight(d) == 1);
  d.learn({{{"agent_of_hotel", "b", {}}}});
  CHECK(in_flight(d) == 0);
  d.forget(1); // of the one that is gone
  CHECK(in_flight(d) == 0);
}

TEST_CASE("an attempt is stopped where it was sent, and everywhere, when it was sent by another scheduler") {
  agent_directory d;
  d.learn(two_nodes());
  const auto t = trip_under_way(1);
  CHECK(d.holders(t, 0).size() == 2);
  d.route(t, 0);
  CHECK(d.holders(t, 0).size() == 1);
}
