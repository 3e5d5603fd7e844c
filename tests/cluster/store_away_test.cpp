// What a person sees of a cluster whose node with the store is down, from one of the others.

#include "tests/support/clusters/node_cluster.hpp"
#include "tests/support/processes/pseudo_terminal.hpp"
#include "tests/support/processes/raw_socket.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <fstream>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

pseudo_terminal person_at(const node_cluster& cluster, const std::string& node, const std::string& command) {
  return {STEADFAST_BINARY,
          {command, "-c", cluster.config(node)},
          {"HOME=" + cluster.config(node) + ".home", "XDG_STATE_HOME=", "TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8"},
          {160, 40}};
}

/// As `node list` of b says: "a silent, b alive, c alive".
std::string states_seen_by(const node_cluster& cluster, const std::string& node) {
  std::string all;
  for (const auto& n : cluster.json_of(node, {"node", "list", "--json"}))
    all += (all.empty() ? "" : ", ") + n.at("name").get<std::string>() + " " + n.at("state").get<std::string>()
           + (n.at("alive").get<bool>() == (n.at("state") == "alive") ? "" : " or not");
  return all;
}

} // namespace

TEST_CASE("row 45: while the store is away the others say which node it is and since when, and console and top stay") {
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  cluster.start();
  CHECK(cluster.command("b", {"node", "list"}).code == 0);
  const auto copied = cluster.command("b", {"store", "copy", "/nowhere"});
  CHECK(copied.code == 1);
  CHECK_THAT(copied.err, Contains("this node has no store: node `a` has it, at " + cluster.address("a")
                                  + ". Ask that node: over HTTP"));
  CHECK_THAT(cluster.command("b", {"webhook", "test", "on-call"}).err, Contains("node `a` has no webhook `on-call`"));

  auto top = person_at(cluster, "b", "top");
  CHECK(top.shows("3 of 3 nodes alive"));
  const auto knows_the_others = [&cluster](const std::string& node) {
    const auto actors = cluster.command(node, {"actor", "list", "--node", node}).out;
    return actors.find("2 other nodes alive") != std::string::npos;
  };
  REQUIRE(node_cluster::eventually([&] { return knows_the_others("b") && knows_the_others("c"); }, patience));
  cluster.kill("a");
  CHECK(
    top.shows("the store cannot be reached: node a at " + cluster.address("a") + " has been away since 20", patience));

  CHECK(
    node_cluster::eventually([&] { return states_seen_by(cluster, "b") == "a silent, b alive, c alive"; }, patience));
  const auto listed = cluster.command("c", {"node", "list"});
  CHECK(listed.code == 1);
  CHECK_THAT(listed.out, Contains("alive"));
  CHECK_THAT(listed.err, Contains("node a at " + cluster.address("a") + " has been away since 20"));
  CHECK_THAT(cluster.command("b", {"task", "list"}).err, Contains("has been away since 20"));
  const auto still = cluster.command("b", {"store", "check"});
  CHECK_THAT(still.err, Contains("node `a` has it"));

  auto person = person_at(cluster, "c", "console");
  CHECK(person.shows("node c, 2 of 3 nodes alive"));
  CHECK(person.shows("the store cannot be reached: node a at"));
  CHECK(person.shows("c> "));

  cluster.start("a");
  INFO(cluster.logs());
  CHECK(top.shows("3 of 3 nodes alive", patience));
  top.type("q");
  CHECK(top.wait() == 0);
  CHECK(node_cluster::eventually([&] { return cluster.command("b", {"node", "list"}).code == 0; }, patience));
}

TEST_CASE("while the store is away no circuit is set, for nobody could record who did it") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  cluster.kill("a");
  REQUIRE(node_cluster::eventually([&] { return cluster.command("b", {"node", "list"}).code == 1; }, patience));
  const auto opened = cluster.command("b", {"circuit", "open", "quick"});
  CHECK(opened.code == 75);
  CHECK_THAT(opened.err, Contains("the store cannot be reached: node a at"));
  CHECK(opened.out.empty());
  const auto agents = cluster.command("b", {"agent", "list", "--json"}).out;
  CHECK_THAT(agents, Contains("\"quick\"") && Contains("\"circuit\":\"closed\"") && !Contains("\"circuit\":\"open\""));
}

TEST_CASE("while the store is away no node and no agent is said not to exist") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  cluster.kill("a");
  REQUIRE(node_cluster::eventually([&] { return cluster.command("b", {"node", "list"}).code == 1; }, patience));
  using words = std::vector<std::string>;
  for (const auto& command :
       {words{"node", "drain", "c"}, words{"actor", "show", "agent:quick@c"}, words{"circuit", "open", "nobody"},
        words{"agent", "list", "nobody"}, words{"actor", "list", "--node", "c"}}) {
    INFO(command[0] << ' ' << command[1]);
    const auto end = cluster.command("b", command);
    CHECK(end.code == 75);
    CHECK_THAT(end.err, Contains("the store cannot be reached: node a at"));
  }
  CHECK(cluster.command("b", {"actor", "show", "agent:quick@b"}).code == 0);
  CHECK(cluster.command("b", {"actor", "show", "agent:nobody@b"}).code == 5);
}

TEST_CASE("top stays when the node that it looks at goes away, says since when, and goes on when it is back") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  auto top = person_at(cluster, "c", "top");
  CHECK(top.shows("3 of 3 nodes alive"));
  cluster.kill("c");
  CHECK(top.shows("away since 20", patience));
  CHECK(top.shows("no node answers at", patience));
  cluster.start("c");
  CHECK(top.shows("nodes alive", patience));
  top.type("q");
  CHECK(top.wait() == 0);
}

TEST_CASE("row 20: a node stops in time though the store is frozen, and it has attempts and a question under way") {
  node_cluster cluster{STEADFAST_BINARY};
  std::ofstream{cluster.config("b"), std::ios::app} << "[shutdown]\ndrain_limit = \"100ms\"\n";
  cluster.start();
  cluster.occupy();
  cluster.process("a").signal(SIGSTOP);
  raw_socket asker{cluster.socket("b")};
  asker.send(R"({"jsonrpc":"2.0","id":1,"method":"task.list"})"
             "\n");
  raw_socket another{cluster.socket("b")};
  another.ask(R"({"jsonrpc":"2.0","id":2,"method":"none"})"); // begun after the first
  cluster.process("b").signal(SIGTERM);
  const auto code = cluster.process("b").wait(patience);
  cluster.process("a").signal(SIGCONT);
  INFO(cluster.process("b").err());
  CHECK(code.value_or(-1) == 0);
  const auto answer = asker.read_line();
  CHECK_THAT(answer.value_or(""), Contains("error"));
}
