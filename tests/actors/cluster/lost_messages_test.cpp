// Several nodes and one store, whose connections break at every moment there is.

#include "tests/actors/neighbour.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::neighbour;

namespace {

/// The node with the store, which runs no tasks itself, and two that do.
struct three_nodes {
  three_nodes() { home.advance(6s); } // until they have found each other

  static tests::node_settings without_schedulers() {
    tests::node_settings s;
    s.schedulers.clear();
    return s;
  }

  /// The keys under which the step was ordered, of all tasks: one for each that acted.
  std::set<std::string> keys_of(const std::string& step) {
    std::set<std::string> keys;
    for (auto* n : {&b, &d})
      for (const auto& order : n->agent(step).orders_of(step))
        keys.insert(order.key);
    return keys;
  }

  void check_done(int tasks) {
    for (int i = 0; i < tasks; ++i)
      CHECK(home.reaches("t" + std::to_string(i), "processed", 10min));
    CHECK(home.broken_invariants().empty());
    CHECK(home.store().check().faults == std::vector<std::string>{});
    for (const auto* step : {"hotel", "flight"})
      CHECK(keys_of(step).size() == static_cast<std::size_t>(tasks));
  }

  tests::one_node home{without_schedulers()};
  tests::address_book book{home};
  actors::node_offer offer = open_home(home, book);
  neighbour b{home, book, "b"};
  neighbour d{home, book, "d"};
};

} // namespace

TEST_CASE("row 53: the connection to the store breaks at each message in turn, and the task is done once") {
  bool ended = false;
  for (int at = 0; !ended; ++at) {
    INFO("after " << at << " messages");
    three_nodes c;
    c.home.begin_to_submit("t0");
    for (int i = 0; i < at && !ended; ++i)
      ended = !c.home.system().step();
    for (auto* n : {&c.b, &c.d})
      n->lose_store();
    c.home.advance(1s);
    for (auto* n : {&c.b, &c.d})
      n->find_store();
    c.check_done(1);
  }
}

TEST_CASE("row 55: whatever the order of messages, and wherever connections break, every task is done once") {
  constexpr int tasks = 5;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 chance{seed};
    three_nodes c;
    auto& system = c.home.system();
    const std::array nodes{&c.b, &c.d};
    int submitted = 0;
    for (int i = 0; i < 600; ++i) {
      const auto luck = chance() % 100;
      if (luck < 2 && submitted < tasks) {
        c.home.begin_to_submit("t" + std::to_string(submitted++));
      } else if (luck < 4) {
        nodes[chance() % nodes.size()]->lose_store();
      } else if (luck < 8) {
        nodes[chance() % nodes.size()]->find_store();
      } else if (system.ready() > 0) {
        system.choose(chance() % system.ready());
        system.step();
      } else {
        system.trigger_timer();
      }
    }
    for (auto* n : nodes)
      n->find_store();
    for (int i = 0; i < tasks; ++i)
      c.home.submit("t" + std::to_string(i)); // the same id is the same task
    c.check_done(tasks);
  }
}
