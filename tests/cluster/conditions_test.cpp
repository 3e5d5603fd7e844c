// Three real nodes: what is wrong with the whole is an incident, and ends by itself.

#include "tests/support/clusters/node_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

std::vector<nlohmann::json> open_of(const node_cluster& c, const std::string& kind) {
  auto all = c.json_of("b", {"incidents", "list", "--json"});
  std::erase_if(all, [&](const auto& x) { return x.at("kind") != kind; });
  return all;
}

bool shows(const node_cluster& c, const std::string& kind, std::size_t count) {
  return node_cluster::eventually([&] { return open_of(c, kind).size() == count; }, patience);
}

} // namespace

TEST_CASE("a node that is killed is an incident until it is back, and one that stops in good order is none") {
  node_cluster c{STEADFAST_BINARY};
  c.start();
  c.kill("c");
  REQUIRE(shows(c, "node_lost", 1));
  CHECK(open_of(c, "node_lost")[0].at("cause") == "node `c` is silent");
  const auto status = c.command("b", {"status"});
  CHECK(status.code == 1);
  CHECK_THAT(status.out, Contains("1 incident: node `c` is silent since "));
  CHECK(c.json_of("b", {"alerts", "list", "--json"}).size() == 1);
  c.start("c");
  CHECK(shows(c, "node_lost", 0));
  CHECK(c.json_of("b", {"alerts", "list", "--json"}).empty());

  c.process("c").signal(SIGTERM);
  REQUIRE(c.process("c").wait(patience) == 0);
  REQUIRE(node_cluster::eventually([&] { return c.living("b") == 2; }, patience));
  CHECK(open_of(c, "node_lost").empty());
}

TEST_CASE("a lost node that is said to be gone for good is no incident any more") {
  node_cluster c{STEADFAST_BINARY};
  c.start();
  c.kill("c");
  REQUIRE(shows(c, "node_lost", 1));
  CHECK(c.command("b", {"lease", "release", "node/b"}).code == 1); // that one lives
  CHECK(c.command("b", {"lease", "release", "node/c", "--why", "its host was sold"}).code == 0);
  CHECK(shows(c, "node_lost", 0));
  CHECK_THAT(c.command("b", {"alerts", "list", "--all"}).out, Contains("its host was sold"));
  CHECK(c.command("b", {"lease", "release", "node/c"}).code == 1);
}

TEST_CASE("the agents of all nodes are listed from any of them, each with what it calls and how that does") {
  node_cluster c{STEADFAST_BINARY};
  c.start();
  c.submit("b", "t", 5);
  REQUIRE(c.all_processed("b", 5));
  const auto agents = c.json_of("c", {"agent", "list", "--json"});
  CHECK(agents.size() == 12); // four on each of three nodes
  std::uint64_t succeeded = 0;
  for (const auto& a : agents) {
    succeeded += a.at("lately_succeeded").get<std::uint64_t>();
    CHECK(a.at("answers") == true);
    CHECK(a.at("circuit") == "closed");
    CHECK_FALSE(a.at("service").get<std::string>().empty());
  }
  CHECK(succeeded == 15); // three steps each
  CHECK(c.json_of("c", {"agent", "list", "quick", "--node", "a", "--json"}).size() == 1);
  CHECK(c.command("c", {"agent", "list", "nobody"}).code == 5);
  CHECK_THAT(c.command("a", {"agents"}).out, Contains("success") && Contains("100 %"));
}
