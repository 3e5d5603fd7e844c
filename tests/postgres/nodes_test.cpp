// Nodes whose store is on PostgreSQL: one has it, the others wait for their turn, and nothing is lost on the way.

#include "runtime/text/address.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* short_leases = "[cluster.lease]\nttl = \"2s\"\nrenew_every = \"500ms\"\nmargin = \"500ms\"\n";

/// A node that is one of several on the same store.
class node_on_a_server : public node_process {
public:
  /// `address`: host:port where the others reach it; empty: nowhere.
  node_on_a_server(const std::string& name, const std::string& url, const std::string& address = "")
      : node_process{STEADFAST_BINARY,
                     "url = \"" + url + "\"\nlease = \"1s\"\n"
                       + (address.empty() ? "" : "[cluster]\nlisten = \"" + address + "\"\n") + short_leases,
                     {},
                     name} {}

  /// Starts one that has to wait.
  std::unique_ptr<running_program> waiting() const {
    auto started =
      std::make_unique<running_program>(STEADFAST_BINARY, std::vector<std::string>{"serve", "-c", config()});
    CHECK(started->says("waits for its turn", hang_limit));
    return started;
  }

  bool submit(const std::string& id) const {
    return command({"submit", "three", "--id", id, "--data", "{}"}).code == 0;
  }
  /// The ids of those that are processed.
  std::set<std::string> processed() const {
    std::set<std::string> ids;
    for (const auto& t : json_of({"task", "list", "--json", "--limit", "1000"}))
      if (t.value("process_state", "") == "processed")
        ids.insert(t.at("id"));
    return ids;
  }
};

/// Nodes n1 to n3, which reach each other.
struct cluster_on_a_server {
  explicit cluster_on_a_server(const std::string& url) {
    const auto ports = steadfast::runtime::free_ports(3);
    for (std::size_t i = 0; i < 3; ++i) {
      addresses.push_back("127.0.0.1:" + std::to_string(ports[i]));
      nodes.push_back(std::make_unique<node_on_a_server>("n" + std::to_string(i + 1), url, addresses.back()));
      nodes.back()->start();
    }
  }

  /// The nodes that are alive and have the store, as that one sees it.
  std::vector<std::string> with_store(std::size_t seen_by) const {
    std::vector<std::string> names;
    for (const auto& n : nodes[seen_by]->json_of({"node", "list", "--json"}))
      if (n.at("alive") == true && n.at("roles").get<std::string>().find("store") != std::string::npos)
        names.push_back(n.at("name"));
    return names;
  }
  /// Which of the living has the store, once the other of them knows it too.
  std::size_t owner(const std::vector<std::size_t>& living) const {
    std::vector<std::string> name;
    if (!comes_true([&] {
          name = with_store(living.front());
          return name.size() == 1 && with_store(living.back()) == name;
        }))
      throw std::runtime_error{"it is not known who has the store"};
    return static_cast<std::size_t>(name[0].back() - '1');
  }

  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<node_on_a_server>> nodes;
};

void init(const std::string& url) {
  REQUIRE(run_program(STEADFAST_BINARY, {"store", "init", "--url", url, "--partitions", "1"}).code == 0);
}

} // namespace

TEST_CASE("row 86: when the node that has the store is killed, one that waits goes on with all of its tasks") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init(server.url());
  node_on_a_server first{"n1", server.url()};
  const node_on_a_server second{"n2", server.url()};
  first.start();
  auto successor = second.waiting();
  std::set<std::string> all;
  for (int i = 0; i < 20; ++i) {
    all.insert("t" + std::to_string(i));
    REQUIRE(first.submit("t" + std::to_string(i)));
  }
  first.kill();
  REQUIRE(successor->says("is ready", hang_limit));
  CHECK(comes_true([&] { return second.processed() == all; }));
  CHECK(second.command({"submit", "three", "--id", "t3", "--data", "{}"}).code == 0); // the same again is the same task
  CHECK(second.processed() == all);

  auto next = first.waiting();
  next->signal(SIGTERM); // while it waits
  CHECK(next->wait(hang_limit) == 0);
  successor->signal(SIGTERM);
  CHECK(successor->wait(hang_limit) == 0);
  CHECK(server.sql({"select holder from steadfast.partition_owner"}).empty());
}

TEST_CASE("row 86: all nodes of a cluster work while one has the store, and when it is killed another has it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init(server.url());
  const cluster_on_a_server c{server.url()};
  REQUIRE(c.owner({0, 1}) == 0);
  node_process agents{STEADFAST_BINARY, "", {}, "n4"}; // which knows nothing of the server
  agents.folder().write("node.toml", "name = \"n4\"\nroles = [\"agents\"]\n[cluster]\njoin = \"" + c.addresses[0] + ","
                                       + c.addresses[1] + "," + c.addresses[2] + "\"\n" + short_leases
                                       + "[control]\nsocket = \"control.sock\"\n[[agent]]\nname = \"quick\"\n"
                                         "program = \"/bin/cat\"\nallow_root = true\n");
  agents.start();
  std::set<std::string> all;
  const auto submit = [&](std::size_t to, const std::string& id) {
    all.insert(id);
    return comes_true([&] { return c.nodes[to]->submit(id); });
  };
  for (std::size_t i = 0; i < 12; ++i)
    REQUIRE(submit(i % 3, "a" + std::to_string(i)));
  CHECK(comes_true([&] { return c.nodes[1]->processed() == all; }));

  REQUIRE(submit(0, "b"));
  c.nodes[0]->kill();
  for (std::size_t i = 0; i < 12; ++i)
    REQUIRE(submit(1 + i % 2, "c" + std::to_string(i)));
  const auto second = c.owner({1, 2});
  const auto third = 3 - second;
  CHECK(comes_true([&] { return c.nodes[third]->processed() == all; }));
  CHECK(comes_true([&] { return agents.json_of({"node", "list", "--json"}).size() == 4; }));
  CHECK(c.nodes[second]->command({"store", "check"}).code == 0);

  c.nodes[0]->start(); // the one that was lost is back, and uses the other's
  REQUIRE(submit(0, "d"));
  c.nodes[second]->process().signal(SIGTERM); // gives the store back
  CHECK(c.nodes[second]->process().wait(hang_limit) == 0);
  REQUIRE(submit(third, "e"));
  CHECK(c.owner({0, third}) != second);
  CHECK(comes_true([&] { return c.nodes[third]->processed() == all; }));
}

TEST_CASE("row 87: a node that was frozen while another took over writes nothing more, and ends") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init(server.url());
  node_on_a_server first{"n1", server.url()};
  const node_on_a_server second{"n2", server.url()};
  first.start();
  REQUIRE(first.submit("a"));
  auto successor = second.waiting();
  first.process().signal(SIGSTOP);
  REQUIRE(successor->says("is ready", hang_limit));
  CHECK(second.submit("b"));
  first.process().signal(SIGCONT);
  CHECK(first.process().wait(hang_limit) == 74);
  CHECK_THAT(first.process().err(), Contains("another node has the partition"));
  CHECK(comes_true([&] { return second.processed() == std::set<std::string>{"a", "b"}; }));
  successor->signal(SIGTERM);
  CHECK(successor->wait(hang_limit) == 0);
}

TEST_CASE("row 92: while the server is away a node says so, shows its tasks, and pushes new ones back") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  init(server.url());
  node_on_a_server node{"n1", server.url()};
  node.start();
  REQUIRE(node.submit("a"));
  CHECK(comes_true([&] { return node.processed().contains("a"); }));
  server.kill();
  CHECK(comes_true([&] { return node.command({"status"}).out.find("the store takes no writes") == 0; }));
  CHECK(node.command({"node", "list"}).code == 1);
  CHECK(node.command({"submit", "three", "--id", "b", "--data", "{}"}).code == 75);
  CHECK(node.command({"task", "show", "a"}).code == 0);
  server.start();
  CHECK(comes_true([&] { return node.submit("c"); }));
  CHECK(comes_true([&] { return node.command({"status"}).code == 0; }));
  CHECK(node.process().says("the store takes writes again", hang_limit));
}

TEST_CASE("row 90: a node goes on by itself when the primary is killed and its standby is promoted") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server primary;
  const postgres_server standby{primary, "s1"};
  primary.set("synchronous_standby_names", "s1");
  const auto url = url_of({&primary, &standby});
  init(url);
  node_on_a_server node{"n1", url};
  CHECK(comes_true([&] { return has_standby(primary, "sync"); }));
  node.start();
  std::set<std::string> told;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(node.submit("a" + std::to_string(i)));
    told.insert("a" + std::to_string(i));
  }
  primary.kill();
  standby.promote();
  CHECK(comes_true([&] { return node.submit("b"); }));
  told.insert("b");
  CHECK(comes_true([&] { return node.processed() == told; }));
}

TEST_CASE("a store on a server is looked at and copied by commands when no node has it, and only then") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init(server.url());
  node_on_a_server node{"n1", server.url()};
  node.start();
  REQUIRE(node.submit("a"));
  REQUIRE(node.submit("b"));
  CHECK(comes_true([&] { return node.processed().size() == 2; }));
  const auto held = node.command({"store", "dump"});
  CHECK(held.code == 75);
  CHECK_THAT(held.err, Contains("the store is held by n1/") && Contains("ask that node"));

  node.kill(); // what it held is free when its lease is over
  const auto checked = node.command({"store", "check"});
  CHECK(checked.code == 0);
  CHECK_THAT(checked.err, Contains("waiting 1s for a sign of life"));
  CHECK(node.json_of({"store", "dump"}).size() == 2);
  CHECK(node.command({"store", "dump"}).err.empty()); // a command gives it back
  const auto copy = (node.folder().path() / "copy").string();
  const auto moved = (node.folder().path() / "moved").string();
  CHECK(node.command({"store", "copy", copy}).code == 0);
  const auto refused = node.command({"store", "restore", copy});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("is on a server") && Contains("--to"));
  CHECK(node.command({"store", "restore", copy, "--to", moved}).code == 0);
  CHECK_THAT(run_program(STEADFAST_BINARY, {"store", "check", "--store", moved}).out, Contains("2 tasks read"));

  node.start();
  CHECK(node.processed() == std::set<std::string>{"a", "b"});
}
