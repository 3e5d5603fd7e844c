// Who keeps a node connected, on a network that answers late.

#include "actors/cluster/peer.hpp"
#include "tests/actors/recorder.hpp"
#include "tests/actors/test_node.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::test_node;

namespace {

using late_answers = std::shared_ptr<std::vector<caf::typed_response_promise<actors::node_offer>>>;

/// Of a node that is drained. It says at once who it is; asked once again, it answers when it is told to drain.
actors::node_front spawn_slow_front(test_node& node, const late_answers& open) {
  return node.keep(node.system().spawn(
    [open, asked = 0](actors::node_front::pointer self) mutable -> actors::node_front::behavior_type {
      return {
        [open, asked, self](const actors::hello&) mutable -> caf::result<actors::node_offer> {
          if (asked++ == 0)
            return actors::node_offer{"old life", {}, {}, {}, {}};
          open->push_back(self->make_response_promise<actors::node_offer>());
          return open->back();
        },
        [](const actors::ask_time&) {
          actors::told_time t;
          t.drained = true;
          return t;
        },
        [](const actors::list_actors&) { return actors::actor_page{}; },
        [](const actors::find_actor&) { return actors::actor_view{}; },
        [open](const actors::drain_node&) {
          for (auto& answer : std::exchange(*open, {}))
            answer.deliver(actors::node_offer{"old life", {}, {}, {}, {}});
        },
      };
    }));
}

} // namespace

TEST_CASE("P6: what the former life of a node answers late does not take the place of the present one") {
  test_node node;
  const auto open = std::make_shared<late_answers::element_type>();
  auto there = std::make_shared<actors::node_front>(spawn_slow_front(node, open));
  tests::recorder<actors::peer_changed> owner{node.system()};
  actors::peer_deps deps;
  deps.dialer = node.keep(node.system().spawn([there]() -> actors::dialer_actor::behavior_type {
    return {[there](const actors::dial&) { return actors::reached_node{*there}; }};
  }));
  deps.owner = owner.handle();
  deps.clock = node.clock();
  deps.address = "e:1";
  const auto peer = node.keep(actors::spawn_peer(node.system(), deps));
  node.run();
  REQUIRE(owner.take().back().offer.node == "old life");
  REQUIRE(open->size() == 1); // it is drained, so its offer is asked for again
  const auto old =
    std::exchange(*there, node.keep(actors::spawn_front(node.system(), {{"new life", {}, {}, {}, {}}, node.clock()})));
  caf::anon_send(caf::actor_cast<caf::actor>(peer), caf::down_msg{old.address(), caf::exit_reason::kill});
  node.advance(1s); // the question to the old life is open still
  REQUIRE(owner.take().back().offer.node == "new life");
  caf::anon_send(old, actors::drain_node{1s});
  node.run();
  REQUIRE(open->empty());
  node.advance(10s);
  CHECK(owner.take().empty());
}
