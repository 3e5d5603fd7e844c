// Nodes whose store is on PostgreSQL: one has it, the others wait for their turn, and nothing is lost on the way.

#include "tests/postgres/nodes.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/clusters/steady_load.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/receiver.hpp"
#include "tests/support/processes/wall_clock.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/time/time_text.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

TEST_CASE("row 86: when the node that has the store is killed, one that waits goes on with all of its tasks") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
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
  init_store(server.url());
  const cluster_on_a_server c{server.url()};
  REQUIRE(c.owner({0, 1}) == 0);
  const auto agents = c.agents_alone();
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
  CHECK(comes_true([&] { return agents->json_of({"node", "list", "--json"}).size() == 4; }));
  CHECK(c.nodes[second]->command({"store", "check"}).code == 0);

  c.nodes[0]->start(); // the one that was lost is back, and uses the other's
  REQUIRE(submit(0, "d"));
  c.nodes[second]->process().signal(SIGTERM); // gives the store back
  CHECK(c.nodes[second]->process().wait(hang_limit) == 0);
  REQUIRE(submit(third, "e"));
  CHECK(c.owner({0, third}) != second);
  CHECK(comes_true([&] { return c.nodes[third]->processed() == all; }));
}

TEST_CASE(
  "row 110: what a killed node has not delivered to a webhook is delivered by the one that takes over, as it was") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  receiver to;
  to.answer(500);
  const auto webhook = "[[webhook]]\nname = \"all\"\nurl = \"" + to.url()
                       + "\"\nevents = [\"processed\"]\nretry = { initial = \"20ms\", cap = \"100ms\" }\n";
  node_on_a_server first{"n1", server.url(), "", webhook};
  const node_on_a_server second{"n2", server.url(), "", webhook};
  first.start();
  auto successor = second.waiting();
  REQUIRE(first.submit("a", "one"));
  CHECK(comes_true([&] { return !to.all().empty(); }));
  const auto refused = to.all()[0];
  first.kill();
  to.answer(200);
  REQUIRE(successor->says("is ready", hang_limit));
  CHECK(comes_true([&] { return to.taken().contains("a"); }));
  for (const auto& d : to.all()) {
    CHECK(d.id == refused.id);
    CHECK(d.body == refused.body);
  }
}

namespace {

steady_load load_on(const cluster_on_a_server& c, const std::vector<std::size_t>& which) {
  std::map<std::string, std::string> sockets;
  for (const auto i : which)
    sockets[cluster_on_a_server::name(i)] = (c.nodes[i]->folder().path() / "store" / "control.sock").string();
  return {sockets, "one", std::chrono::milliseconds{50}};
}

/// The others have all partitions.
bool has_all_but(const postgres_server& server, int partitions, const std::string& node) {
  int all = 0;
  const auto now = shares(server);
  for (const auto& [name, count] : now)
    all += count;
  return all == partitions && !now.contains(node);
}

bool runs_on(const cluster_on_a_server& c, std::size_t node, const std::set<std::string>& all) {
  return comes_true([&] { return c.nodes[node]->processed() == all; });
}

} // namespace

TEST_CASE("row 86: a node that is drained hands the store over, and no submission is refused or left unclear") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const auto partitions = GENERATE(1, 3);
  init_store(server.url(), partitions);
  // who tells a collector has the store, too, and lets it go
  const cluster_on_a_server c{server.url(), "[tracing]\nurl = \"http://127.0.0.1:9/v1/traces\"\n"};
  REQUIRE(is_spread(server, partitions));
  auto load = load_on(c, {0, 1, 2});
  REQUIRE(comes_true([&] { return load.acknowledged("n3") > 5; }));
  const auto before_all_were_up = load.why_repeated();
  const auto drain = [&](std::size_t by, const std::string& name) {
    const auto end = c.nodes[by]->command({"node", "drain", name});
    INFO(end.err);
    CHECK(end.code == 0);
  };
  drain(1, "n1");
  CHECK(comes_true([&] { return has_all_but(server, partitions, "n1"); }));
  const std::size_t second = shares(server).contains("n2") ? 1 : 2;
  const std::size_t third = 3 - second;
  const auto before = load.acknowledged("n1");
  CHECK(comes_true([&] { return load.acknowledged("n1") > before + 5; })); // it uses the other's
  drain(0, cluster_on_a_server::name(second));
  CHECK(comes_true([&] { return holder(server) == cluster_on_a_server::name(third); }));
  drain(0, cluster_on_a_server::name(third));
  for (const auto* name : {"n1", "n2", "n3"}) {
    const auto now = load.acknowledged(name);
    CHECK(comes_true([&] { return load.acknowledged(name) > now + 5; }));
  }
  CHECK(holder(server) == cluster_on_a_server::name(third)); // nobody else wants it
  CHECK(load.why_repeated() == before_all_were_up);
  const auto ids = load.stop();
  CHECK(load.why_repeated() == before_all_were_up);
  c.nodes[0]->process().signal(SIGTERM);
  CHECK(c.nodes[0]->process().wait(hang_limit) == 0);
  c.nodes[0]->start(); // and works again
  CHECK(comes_true([&] { return holder(server) == "n1"; }));
  CHECK(runs_on(c, second, {ids.begin(), ids.end()}));
}

TEST_CASE("row 86: a node that is stopped hands the store over, and no submission elsewhere is refused") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const auto partitions = GENERATE(1, 3);
  init_store(server.url(), partitions);
  const cluster_on_a_server c{server.url()};
  REQUIRE(is_spread(server, partitions));
  auto load = load_on(c, {1, 2});
  REQUIRE(comes_true([&] { return load.acknowledged("n3") > 5; }));
  const auto before_all_were_up = load.why_repeated();
  c.nodes[0]->process().signal(SIGTERM);
  CHECK(c.nodes[0]->process().wait(hang_limit) == 0);
  CHECK_THAT(c.nodes[0]->process().err(), Contains("lets it go") && !Contains("did not drain"));
  for (const auto* name : {"n2", "n3"}) {
    const auto now = load.acknowledged(name);
    CHECK(comes_true([&] { return load.acknowledged(name) > now + 5; }));
  }
  const auto ids = load.stop();
  CHECK(load.why_repeated() == before_all_were_up);
  CHECK(runs_on(c, 1, {ids.begin(), ids.end()}));
  for (const auto i : {std::size_t{1}, std::size_t{2}}) // both at once: nobody is left to have it
    c.nodes[i]->process().signal(SIGTERM);
  for (const auto i : {std::size_t{1}, std::size_t{2}})
    CHECK(c.nodes[i]->process().wait(hang_limit) == 0);
  CHECK(holder(server).empty());
}

TEST_CASE("row 86: a node that is stopped does not take the store back from the node that it gave it to") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url(), GENERATE(1, 3));
  const temp_folder place;
  const auto begun = place.path() / "begun";
  const auto lasting = "[[agent]]\nname = \"lasting\"\nprogram = \"/bin/sh\"\narguments = [\"-c\", \"/usr/bin/touch "
                       + begun.string() + "; exec /bin/sleep 4\"]\nallow_root = true\n";
  const auto ports = runtime::free_ports(2);
  node_on_a_server first{"n1", server.url(), "127.0.0.1:" + std::to_string(ports[0]), lasting};
  node_on_a_server second{"n2", server.url(), "127.0.0.1:" + std::to_string(ports[1])};
  first.folder().write("workflows/lasting.toml",
                       "name = \"lasting\"\n[[step]]\nname = \"step1\"\nagent = \"lasting\"\n");
  first.start();
  second.start();
  REQUIRE(first.submit("a", "lasting"));
  REQUIRE(comes_true([&] { return std::filesystem::exists(begun); }));

  first.process().signal(SIGTERM);
  REQUIRE(comes_true([&] { return holder(server) == "n2"; }));
  second.process().signal(SIGSTOP); // and shows no sign of life for longer than a lease
  CHECK(first.process().wait(hang_limit) == 0);
  REQUIRE(holder(server) == "n2");
  second.process().signal(SIGCONT);
  CHECK(comes_true([&] { return second.submit("b"); }));
  CHECK(comes_true([&] { return second.processed().contains("b"); }));
  second.process().signal(SIGTERM);
  CHECK(second.process().wait(hang_limit) == 0);
}

TEST_CASE("row 87: a node that was frozen while another took over writes nothing more, and ends") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
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

TEST_CASE("row 92: while the server is away a node says so, lists its tasks, and pushes new ones back") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  init_store(server.url());
  node_on_a_server node{"n1", server.url()};
  node.start();
  REQUIRE(node.submit("a"));
  CHECK(comes_true([&] { return node.processed().contains("a"); }));
  server.kill();
  CHECK(comes_true([&] { return node.command({"status"}).out.find("the store takes no writes") == 0; }));
  CHECK(node.command({"node", "list"}).code == 1);
  CHECK(node.command({"submit", "three", "--id", "b", "--data", "{}"}).code == 75);
  CHECK_THAT(node.command({"task", "list"}).out, Contains("processed"));
  const auto one = [&] { return node.command({"task", "show", "a"}); };
  CHECK(comes_true([&] { return one().code == 75; })); // another node may have it, for all that is known here
  CHECK_THAT(one().err, Contains("another node may have changed this by now"));
  server.start();
  CHECK(comes_true([&] { return node.submit("c"); }));
  CHECK(comes_true([&] { return node.command({"status"}).code == 0; }));
  CHECK(node.process().says("the store takes writes again", hang_limit));
}

namespace {

/// As `node list` tells it there.
std::size_t leases_ended_of_nodes_alive(const node_on_a_server& asked) {
  std::istringstream lines{asked.command({"node", "list", "--json"}).out};
  const auto now = steadfast::workflow::utc_text(
    std::chrono::time_point_cast<steadfast::workflow::span>(std::chrono::system_clock::now()));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto n = nlohmann::json::parse(line);
    const auto until = n.at("expires_at").is_null() ? std::string{} : n.at("expires_at").get<std::string>();
    count += n.at("alive") == true && n.at("state") == "alive" && until < now ? 1 : 0;
  }
  return count;
}

} // namespace

TEST_CASE("row 92: while the server is away each node of a cluster says so") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  init_store(server.url());
  const cluster_on_a_server all{{server.url(), server.url()}};
  REQUIRE(comes_true([&] { return all.nodes[1]->submit("a"); })); // once it is connected to the other
  REQUIRE(comes_true([&] { return all.nodes[0]->json_of({"node", "list", "--json"}).size() == all.nodes.size(); }));
  server.kill();
  for (const auto& n : all.nodes)
    CHECK(comes_true([&] { return n->command({"status"}).out.find("the store takes no writes") == 0; }));
  for (const auto& n : all.nodes) { // also when their leases have ended, which nobody can renew
    const bool is_told = comes_true([&] { return leases_ended_of_nodes_alive(*n) == all.nodes.size(); });
    INFO(n->command({"node", "list", "--json"}).out);
    CHECK(is_told);
  }
  server.start();
  for (const auto& n : all.nodes) {
    const bool is_well = comes_true([&] { return n->command({"status"}).code == 0; });
    INFO(n->command({"status"}).out << n->command({"status"}).err << n->process().err());
    CHECK(is_well);
  }
}

TEST_CASE("row 90: a node goes on by itself when the primary is killed and its standby is promoted") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server primary;
  const postgres_server standby{primary, "s1"};
  primary.set("synchronous_standby_names", "s1");
  const auto url = url_of({&primary, &standby});
  init_store(url);
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

TEST_CASE("row 102: a promoted server whose clock is hours wrong ends no attempt and no lease") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  if (!wall_clock::works_with("/bin/true"))
    return skip("libfaketime is not installed");
  const std::chrono::seconds offset = GENERATE(std::chrono::hours{10}, -std::chrono::hours{10});
  postgres_server primary;
  const postgres_server standby{primary, "s1", {"127.0.0.1", 0, {}, wall_clock::always_wrong_by(offset)}};
  CHECK(std::abs(std::stoll(standby.sql({"select floor(extract(epoch from clock_timestamp()))"})) - std::time(nullptr)
                 - offset.count())
        < 600);
  primary.set("synchronous_standby_names", "s1");
  const auto url = url_of({&primary, &standby});
  init_store(url);
  CHECK(comes_true([&] { return has_standby(primary, "sync"); }));
  const cluster_on_a_server all{{url, url}};
  std::set<std::string> told;
  const auto submit = [&](const std::string& id) {
    CHECK(comes_true([&] { return all.nodes[1]->submit(id); }));
    told.insert(id);
  };
  submit("a");
  submit("b");
  primary.kill();
  standby.promote();
  submit("c");
  CHECK(comes_true([&] { return all.nodes[1]->processed() == told; }));
  for (const auto& id : told)
    for (const auto& step : all.nodes[1]->json_of({"task", "show", id, "--json"}).front().at("steps"))
      CHECK(step.at("attempt") == 1);
  CHECK(all.with_store(1).size() == 1);
}

TEST_CASE("row 101: a damaged task is set aside when the store is taken, people are told, and the others go on") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  node_on_a_server node{"n1", server.url()};
  node.start();
  REQUIRE(node.command({"submit", "one", "--id", "victim", "--not-before", "1h"}).code == 0);
  node.folder().write("large", '"' + std::string(1'000'000, 'x') + '"');
  const auto rows = [&] { return server.sql({"select count(*) from steadfast.kept_0 where in_table = 5"}); };
  const std::vector<std::string> waits{"submit",       "one", "--payload", (node.folder().path() / "large").string(),
                                       "--not-before", "1h"};
  REQUIRE(comes_true([&] { // until the log is so long that the rows are brought up to date
    return node.command(waits).code == 0 && rows() != "0";
  }));
  REQUIRE(node.submit("other"));
  node.kill();
  REQUIRE(server.sql({"update steadfast.kept_0 set value = set_byte(value, 20, get_byte(value, 20) # 4)"
                      " where in_table = 5 and key = int8send(1) returning 1"})
          == "1");
  node.start();
  CHECK(comes_true([&] { return node.command({"alerts", "list"}).out.find("set_aside") != std::string::npos; }));
  CHECK_THAT(node.command({"alerts", "list"}).out, Contains("victim"));
  CHECK(node.command({"status"}).code == 1);
  const auto shown = node.command({"task", "show", "victim"});
  CHECK(shown.code == 1);
  CHECK_THAT(shown.err, Contains("`victim` was set aside") && Contains("checksum"));
  CHECK(node.command({"store", "check"}).code == 0);
  CHECK(node.submit("later"));
  CHECK(comes_true([&] { return node.processed() == std::set<std::string>{"other", "later"}; }));
}

TEST_CASE("a store on a server is looked at and copied by commands when no node has it, and only then") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
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

TEST_CASE("row 86: `cluster up` starts nodes of which several may have the store on a server") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  const temp_folder folder;
  std::string nodes;
  for (const auto port : steadfast::runtime::free_ports(2))
    nodes +=
      "[[node]]\nname = \"n" + std::to_string(port) + "\"\nlisten = \"127.0.0.1:" + std::to_string(port) + "\"\n";
  folder.write("cluster.toml", "folder = \"" + folder.path().string() + "/nodes\"\n[store]\nurl = \"" + server.url()
                                 + "\"\nlease = \"1s\"\n" + short_leases + nodes);
  const auto cluster = [&](const std::string& act) {
    return run_program(STEADFAST_BINARY, {"cluster", act, (folder.path() / "cluster.toml").string()});
  };
  const auto up = cluster("up");
  const auto status = cluster("status");
  const auto down = cluster("down");
  INFO(up.err << status.out << status.err << down.out);
  CHECK(up.code == 0);
  CHECK_THAT(up.out, Contains("the cluster is up"));
  CHECK(status.code == 0);
  CHECK(down.code == 0);
}
