// Three nodes as processes, connected by real sockets: killed, frozen, stopped and started again.

#include "tests/support/clusters/node_cluster.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <string>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

TEST_CASE("row 41: three nodes find each other, one of them supervises, and each takes tasks and questions") {
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  cluster.start();
  CHECK(node_cluster::eventually([&] { return !cluster.supervisor("c").empty(); }, patience));
  for (const auto* name : {"a", "b", "c"}) {
    cluster.submit(name, name, 3);
    const auto end = cluster.command(
      name, {"submit", "refused", "--id", std::string{"undo-"} + name, "--data", "{}", "--wait", "--limit", "60s"});
    INFO(end.out << end.err << cluster.logs());
    CHECK(end.code == 2); // undone
  }
  CHECK(cluster.all_processed("c", 9));
  CHECK(cluster.command("b", {"lease", "list"}).out.find("node/c") != std::string::npos);
  CHECK(cluster.command("b", {"workflow", "list"}).out.find("three") != std::string::npos);
  CHECK_THAT(cluster.command("b", {"node", "show"}).out, Contains("connected"));
}

TEST_CASE("in light load each node of a cluster gets its share, not the one with the store alone") {
  constexpr int count = 24;
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  for (int i = 0; i < count; ++i)
    cluster.submit("a", "t" + std::to_string(i) + "-", 1);
  CHECK(cluster.all_processed("a", count));
  int taken = 0;
  for (const auto* name : {"a", "b", "c"}) {
    const auto shown = cluster.json_of(name, {"node", "show", "--json"});
    REQUIRE(shown.size() == 1);
    const auto by_it = shown[0].at("scheduler").at("claimed").get<int>();
    INFO(name << " took " << by_it << "\n" << cluster.logs());
    CHECK(by_it >= count / 6);
    taken += by_it;
  }
  CHECK(taken == count);
}

TEST_CASE("row 18: a node that is killed is missed within its lease, and what it had in flight goes on elsewhere") {
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  cluster.start();
  cluster.occupy();
  const auto lost = cluster.in_flight("b");
  REQUIRE_FALSE(lost.empty());
  cluster.kill("b");
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return cluster.living("a") == 2; }, patience));
  cluster.release();
  CHECK(cluster.all_processed("c", node_cluster::occupied));
  CHECK(cluster.were_lost(lost));
  cluster.start("b");
  CHECK(node_cluster::eventually([&] { return cluster.living("a") == 3; }, patience));
}

TEST_CASE("row 38: when the node that supervises is killed another supervises soon after its lease") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  REQUIRE(node_cluster::eventually([&] { return !cluster.supervisor("a").empty(); }, patience));
  const auto first = cluster.supervisor("a");
  cluster.kill(first);
  const auto on_the_other = [&] {
    const auto who = cluster.supervisor("a");
    return !who.empty() && who != first;
  };
  INFO(cluster.logs());
  CHECK(node_cluster::eventually(on_the_other, patience));
}

TEST_CASE("row 14: a node that is frozen for longer than its lease loses its work, and comes back without harm") {
  constexpr int count = node_cluster::occupied;
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  cluster.start();
  cluster.occupy();
  const auto lost = cluster.in_flight("b");
  REQUIRE_FALSE(lost.empty());
  cluster.process("b").signal(SIGSTOP);
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return cluster.living("a") == 2; }, patience));
  cluster.release();
  CHECK(cluster.all_processed("a", count));
  CHECK(cluster.were_lost(lost));
  cluster.process("b").signal(SIGCONT);
  CHECK(node_cluster::eventually([&] { return cluster.living("a") == 3; }, patience));
  cluster.submit("b", "again", 3);
  CHECK(cluster.all_processed("b", count + 3));
}

TEST_CASE("while nodes are looked into, one that is frozen is named, and one that is dead is gone") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  const auto state_of_b = [&]() -> std::string {
    for (const auto& n : cluster.json_of("a", {"node", "list", "--json"}))
      if (n.at("name") == "b")
        return n.at("state");
    return {};
  };
  const auto actors = [&] { return cluster.command("a", {"console", "-e", "actors --kind scheduler"}); };
  CHECK(node_cluster::eventually([&] { return state_of_b() == "alive" && actors().code == 0; }, patience));
  INFO(cluster.logs());
  const auto is_seen_frozen = [&] { // on a busy machine its lease may be over by then, or c be late too
    cluster.process("b").signal(SIGCONT);
    if (!node_cluster::eventually([&] { return state_of_b() == "alive"; }, patience))
      return false;
    cluster.process("b").signal(SIGSTOP);
    const auto state = state_of_b();
    const auto end = actors();
    return state == "silent" && end.code == 1 && end.out.find("scheduler@a") != std::string::npos
           && end.out.find("scheduler@c") != std::string::npos
           && end.err.find("node b: it does not answer") != std::string::npos;
  };
  CHECK(node_cluster::eventually(is_seen_frozen, patience));
  cluster.process("b").signal(SIGKILL);
  CHECK(node_cluster::eventually([&] { return state_of_b() == "gone"; }, patience));
  CHECK(node_cluster::eventually(
    [&] {
      const auto end = actors();
      return end.code == 0 && end.out.find("scheduler@b") == std::string::npos;
    },
    patience));
}

TEST_CASE(
  "row 45: while the store's node is down the others refuse work with a retry-after, and go on when it is back") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  cluster.occupy();
  const auto lost = cluster.in_flight("a");
  const auto kept = cluster.in_flight("b");
  REQUIRE_FALSE(lost.empty());
  REQUIRE_FALSE(kept.empty());
  cluster.kill("a");
  const auto is_refused = [&] {
    const auto end = cluster.command("b", {"submit", "three", "--id", "later", "--data", "{}"});
    return end.code == 75 && end.err.find("the store cannot be reached") != std::string::npos;
  };
  CHECK(node_cluster::eventually(is_refused, patience));
  cluster.release(); // of what ends now nobody can store it yet
  cluster.start("a");
  INFO(cluster.logs());
  CHECK(cluster.all_processed("b", node_cluster::occupied));
  CHECK(cluster.were_lost(lost));
  CHECK(node_cluster::eventually([&] { return cluster.living("c") == 3; }, patience));
}

TEST_CASE("row 20: a node of a cluster that is told to stop gives back what it has and exits with 0") {
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  cluster.start();
  cluster.occupy();
  const auto given_back = cluster.in_flight("c");
  REQUIRE_FALSE(given_back.empty());
  cluster.process("c").signal(SIGTERM);
  CHECK(cluster.process("c").wait(patience) == 0);
  INFO(cluster.logs());
  CHECK(cluster.living("a") == 2); // at once: it gave its lease back
  CHECK(cluster.in_flight("c").empty());
  cluster.release();
  CHECK(cluster.all_processed("b", node_cluster::occupied));
  CHECK(cluster.were_lost(given_back));
}
