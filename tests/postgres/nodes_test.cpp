// Nodes whose store is on PostgreSQL: one has it, the others wait for their turn, and nothing is lost on the way.

#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <set>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

/// A node that is one of several on the same store.
class node_on_a_server : public node_process {
public:
  node_on_a_server(const std::string& name, const std::string& url)
      : node_process{STEADFAST_BINARY,
                     "url = \"" + url
                       + "\"\nlease = \"1s\"\n[cluster.lease]\nttl = \"2s\"\nrenew_every = \"500ms\"\n"
                         "margin = \"500ms\"\n",
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
