// What a client that is no node can do with the store.

#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::one_node;

namespace {

struct gateway_of_a_node {
  gateway_of_a_node() {
    node.run();
    gateway = actors::spawn_client_gateway(node.system().system(),
                                           {"a", true, node.store_actor, node.reader, node.system().clock()});
    node.system().keep(gateway.front);
    node.system().keep(gateway.store);
  }

  /// What became of writes that were sent together, by their order.
  std::vector<store::write_status> write(const std::vector<store::write>& all) {
    tests::recorder<actors::writes_done> client{node.system().system()};
    actors::write_requests requests;
    for (const auto& w : all) {
      actors::write_request r;
      r.ticket = requests.all.size();
      r.what = actors::boxed<store::write>{w};
      requests.all.push_back(std::move(r));
    }
    node.system().tell(client.handle(), gateway.store, std::move(requests));
    node.run();
    std::vector<store::write_status> results(all.size());
    for (const auto& done : client.seen())
      for (const auto& w : done.all)
        results.at(w.ticket) = w.outcome->result;
    return results;
  }

  one_node node;
  actors::client_gateway gateway;
};

} // namespace

TEST_CASE("a client submits, looks and acknowledges, and can write nothing that is for nodes") {
  using store::write_status;
  gateway_of_a_node d;
  const auto receipt =
    d.node.system().ask<actors::receipt>(d.gateway.store, actors::boxed<workflow::submission>{d.node.order_for("t")});
  REQUIRE(receipt);
  CHECK(receipt->result == write_status::applied);
  const auto seen = d.node.system().ask<actors::task_view>(d.gateway.store, actors::show_task{"t"});
  REQUIRE(seen);
  REQUIRE(seen->task);
  store::update_task forged;
  forged.next = *seen->task;
  forged.next.state = workflow::process_state::processed;
  forged.lock_epoch_before = seen->task->lock_epoch;
  CHECK(d.write({store::acquire_lease{"node/b", "b", "", 10s, {}}, store::acknowledge_notices{"nobody", 1, 1},
                 store::acquire_lease{"supervisor", "desk:1", "", 10s, {}}, forged,
                 store::record_act{"desk", "nothing", "", {}}})
        == std::vector{write_status::refused, write_status::applied, write_status::refused, write_status::refused,
                       write_status::refused});
}

TEST_CASE("a client finds the store that it may use, and none of the node's agents and actors") {
  gateway_of_a_node d;
  const auto offer = d.node.system().ask<actors::node_offer>(d.gateway.front, actors::hello{});
  REQUIRE(offer);
  CHECK(offer->node == "a");
  CHECK(caf::actor_cast<caf::actor>(offer->store_actor) == caf::actor_cast<caf::actor>(d.gateway.store));
  CHECK(caf::actor_cast<caf::actor>(offer->reader) == caf::actor_cast<caf::actor>(d.gateway.store));
  CHECK(offer->agents.empty());
  CHECK_FALSE(offer->gateway);
  const auto listed = d.node.system().ask<actors::actor_page>(d.gateway.front, actors::list_actors{});
  REQUIRE(listed);
  CHECK(listed->actors.empty());
}
