#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

#include <caf/typed_event_based_actor.hpp>

using namespace steadfast;
using namespace std::chrono_literals;

namespace {

/// What the instances on one candidate's node did.
struct candidate {
  int made = 0;
  std::vector<std::uint64_t> epochs;
  actors::guarded_actor instance;
  actors::guarded_actor guard;
  actors::lease_actor lease;
};

void campaign(tests::one_node& node, candidate& c, const std::string& name) {
  auto& sys = node.system().system();
  c.guard = node.system().keep(actors::spawn_singleton_guard(
    sys, {[&c](caf::actor_system& its_system) {
      ++c.made;
      c.instance = its_system.spawn([&c](actors::guarded_actor::pointer) -> actors::guarded_actor::behavior_type {
        return {[&c](const actors::lease_changed& m) { c.epochs.push_back(m.epoch); }};
      });
      return c.instance;
    }}));
  c.lease = node.system().keep(
    actors::spawn_lease_actor(sys, {node.store_actor, c.guard, node.system().clock(), {"reports", name, {}, {}}}));
}

} // namespace

TEST_CASE("of two candidates one has the instance, as long as it handles its messages") {
  tests::one_node node;
  candidate first;
  candidate second;
  campaign(node, first, "first");
  node.run();
  campaign(node, second, "second");
  node.advance(1min);
  CHECK(first.made == 1);
  CHECK(first.epochs.size() > 10);
  CHECK(first.epochs.back() == 1);
  CHECK(second.made == 0);
}

TEST_CASE("when the instance ends another candidate makes one, under a higher epoch") {
  tests::one_node node;
  candidate first;
  candidate second;
  campaign(node, first, "first");
  node.run();
  campaign(node, second, "second");
  actors::exit_now(first.instance);
  CHECK(node.system().advance_until([&] { return second.made == 1; }, 15s));
  node.run();
  CHECK(second.epochs == std::vector<std::uint64_t>{2});
}

TEST_CASE("an instance ends when its lease is given up in good order") {
  tests::one_node node;
  candidate first;
  candidate second;
  campaign(node, first, "first");
  node.run();
  campaign(node, second, "second");
  node.run();
  node.system().ask<actors::drained>(first.lease, actors::drain{0s});
  CHECK(node.system().advance_until([&] { return second.made == 1; }, 5s));
  CHECK(first.epochs.back() == 1); // it was ended, not told
  const auto heard = first.epochs.size();
  node.advance(1min);
  node.system().tell(caf::strong_actor_ptr{}, first.instance, actors::lease_changed{"reports", 1});
  node.run();
  CHECK(first.epochs.size() == heard);
}

TEST_CASE("an instance ends with the guard that made it") {
  tests::one_node node;
  candidate only;
  campaign(node, only, "only");
  node.run();
  REQUIRE(only.made == 1);
  actors::exit_now(only.guard);
  node.run();
  const auto heard = only.epochs.size();
  node.system().tell(caf::strong_actor_ptr{}, only.instance, actors::lease_changed{"reports", 1});
  node.run();
  CHECK(only.epochs.size() == heard);
}
