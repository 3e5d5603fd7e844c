// Three nodes on hosts of their own, whose network is cut, one way or both, for long or again and again. Needs root;
// without it these tests say so and end.

#include "tests/support/clusters/node_cluster.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

using namespace steadfast::tests;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Three hosts and a node on each. Every test is a process of its own, so the network is too.
struct apart {
  hosts machines{3};
  std::optional<node_cluster> nodes;

  /// False: hosts cannot be made here. What is given for `a` goes into its configuration.
  bool start(trust by = trust::as_chosen, const std::string& for_a = "") {
    if (!machines.are_apart()) {
      skip(machines.why_not());
      return false;
    }
    nodes.emplace(STEADFAST_BINARY, &machines, std::vector<std::string>{}, by);
    std::ofstream{nodes->config("a"), std::ios::app} << for_a;
    nodes->start();
    return true;
  }

  void cut(const std::string& from, const std::string& to) {
    machines.cut(node_cluster::number_of(from), node_cluster::number_of(to));
  }
  void cut_both(const std::string& one, const std::string& other) {
    cut(one, other);
    cut(other, one);
  }
  void mend(const std::string& from, const std::string& to) {
    machines.mend(node_cluster::number_of(from), node_cluster::number_of(to));
  }
  void mend_both(const std::string& one, const std::string& other) {
    mend(one, other);
    mend(other, one);
  }

  bool sees(const std::string& node, std::size_t living, milliseconds limit) {
    return node_cluster::eventually([&] { return nodes->living(node) == living; }, limit);
  }
  /// Whether the node soon knows that it has no connection to that other one.
  bool misses(const std::string& node, const std::string& other, milliseconds limit) {
    return node_cluster::eventually([&] { return is_connected(node, other) == false; }, limit);
  }
  bool reaches(const std::string& node, const std::string& other, milliseconds limit) {
    return node_cluster::eventually([&] { return is_connected(node, other) == true; }, limit);
  }

  /// Nothing: the node does not say.
  std::optional<bool> is_connected(const std::string& node, const std::string& other) {
    const auto shown = nodes->json_of(node, {"node", "show"});
    if (shown.empty())
      return std::nullopt;
    const auto& peers = shown[0].at("peers");
    return std::any_of(peers.begin(), peers.end(), [&](const auto& peer) {
      return peer.at("address") == nodes->address(other) && peer.at("connected").template get<bool>();
    });
  }
};

} // namespace

TEST_CASE("row 57: a node that is cut off for longer than its lease loses its work, and is back without harm") {
  constexpr int count = node_cluster::occupied;
  apart c;
  if (!c.start(GENERATE(trust::plain, trust::certified)))
    return;
  c.nodes->occupy();
  const auto lost = c.nodes->in_flight("b");
  REQUIRE_FALSE(lost.empty());
  c.cut_both("a", "b");
  c.cut_both("b", "c");
  CHECK(c.sees("a", 2, patience));
  c.nodes->release();
  CHECK(c.nodes->all_processed("a", count));
  CHECK(c.nodes->were_lost(lost));
  c.mend_both("a", "b");
  c.mend_both("b", "c");
  CHECK(c.reaches("b", "a", patience));
  INFO(c.nodes->logs());
  CHECK(c.sees("b", 3, patience));
  c.nodes->submit("b", "again", 3);
  CHECK(c.nodes->all_processed("a", count + 3));
}

TEST_CASE("row 46: a supervisor that is cut off from the store, but not from agents, is followed by another") {
  apart c;
  if (!c.start())
    return;
  REQUIRE(node_cluster::eventually([&] { return !c.nodes->supervisor("a").empty(); }, patience));
  const auto first = c.nodes->supervisor("a");
  c.cut_both(first, "a");
  const auto on_another = [&] {
    const auto who = c.nodes->supervisor("a");
    return !who.empty() && who != first;
  };
  INFO(c.nodes->logs());
  CHECK(node_cluster::eventually(on_another, patience));
  c.mend_both(first, "a");
  CHECK(c.sees("a", 3, patience));
}

TEST_CASE("row 56: a cut one way is noticed on both sides by the heartbeat, and is healed") {
  apart c;
  if (!c.start(GENERATE(trust::plain, trust::certified)))
    return;
  const auto check = [&](const std::string& from, const std::string& to) {
    c.cut(from, to);
    INFO(c.nodes->logs());
    CHECK(c.misses("b", "a", patience));
    c.mend(from, to);
    CHECK(c.sees("a", 3, patience));
    CHECK(c.sees("b", 3, patience));
  };
  check("a", "b");
  check("b", "a");
  c.nodes->submit("b", "t", 3);
  CHECK(c.nodes->all_processed("a", 3));
}

TEST_CASE("row 59: a peer that has vanished without a word is noticed by the heartbeat") {
  apart c;
  if (!c.start())
    return;
  for (const auto* other : {"a", "c"})
    c.cut_both("b", other);
  INFO(c.nodes->logs());
  CHECK(c.misses("c", "b", patience)); // the kernel would wait for a quarter of an hour
  CHECK(c.misses("b", "a", patience));
  const auto refused = c.nodes->command("b", {"submit", "three", "--id", "x", "--data", "{}"});
  CHECK(refused.code == 75);
}

TEST_CASE(
  "row 58: a link that flaps, once for longer than a lease, takes a node's work, and all goes on once it holds") {
  apart c;
  if (!c.start())
    return;
  c.nodes->occupy();
  const auto lost = c.nodes->in_flight("b");
  REQUIRE_FALSE(lost.empty());
  for (int i = 0; i < 10; ++i) {
    c.cut_both("a", "b");
    if (i == 4)
      CHECK(c.sees("a", 2, patience)); // the lease of `b` has ended
    else
      std::this_thread::sleep_for(milliseconds{200 + 90 * i}); // how long the link is gone is the fault itself
    c.mend_both("a", "b");
    std::this_thread::sleep_for(milliseconds{300}); // and how long it is there
    if (i == 6)
      c.nodes->release(); // what ends is told over the link that flaps
  }
  INFO(c.nodes->logs());
  CHECK(c.nodes->all_processed("a", node_cluster::occupied));
  CHECK(c.nodes->were_lost(lost));
  CHECK(c.sees("b", 3, patience));
}

TEST_CASE("row 20: a node that is told to stop does not wait for one that cannot take what is on its way") {
  apart c;
  if (!c.start(GENERATE(trust::plain, trust::certified), "\n[shutdown]\ndrain_limit = \"500ms\"\n"))
    return;
  REQUIRE(c.reaches("a", "b", patience));
  c.cut_both("a", "b");
  const std::string payload =
    '"' + std::string(200'000, 'x') + '"'; // what a third of them need is more than a socket holds
  for (int i = 0; i < 12; ++i)
    REQUIRE(c.nodes->command("a", {"submit", "three", "--payload", "-"}, payload).code == 0);
  c.nodes->process("a").signal(SIGTERM);
  const auto code = c.nodes->process("a").wait(patience);
  const auto said = c.nodes->logs();
  INFO(said);
  CHECK(code.value_or(-1) == 0);
  CHECK_THAT(said, Catch::Matchers::Contains("node a has stopped"));
}
