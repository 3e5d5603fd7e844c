#include "runtime/configuration/cluster_file.hpp"

#include "runtime/configuration/config_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using Catch::Matchers::Contains;

namespace {

const std::string two_nodes = R"(
folder = "here"
workflows = ["w.toml"]
threads = 3
[[node]]
name = "a"
roles = ["store", "scheduler"]
listen = "127.0.0.1:7801"
[[node]]
name = "b"
roles = ["scheduler", "agents"]
listen = "127.0.0.1:7802"
http = "127.0.0.1:7812"
agents = ["echo"]
[[agent]]
name = "echo"
url = "http://127.0.0.1:1/"
[[agent]]
name = "other"
url = "http://127.0.0.1:2/"
)";

std::vector<planned_node> plan(const std::string& text) {
  const tests::temp_folder folder;
  folder.write("cluster.toml", text);
  return plan_cluster(folder.path() / "cluster.toml", "/tmp/nodes");
}

std::string plan_complaint(const std::string& text) {
  try {
    plan(text);
    return "none";
  } catch (const runtime::config_error& e) {
    return e.what();
  }
}

} // namespace

TEST_CASE("a cluster file becomes a configuration for each node, and the others join the one with the store") {
  const auto nodes = plan(two_nodes);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[1].config_file() == "/tmp/nodes/b/node.toml");
  const auto a = parse_config(nodes[0].config, "a");
  const auto b = parse_config(nodes[1].config, "b");
  CHECK(a.options.name == "a");
  CHECK(a.options.roles == workflow::node_roles{true, true, false, false});
  CHECK(a.options.cluster.join.empty());
  CHECK(a.workflows.size() == 1);
  CHECK(a.workflows[0].is_absolute());
  CHECK(a.options.threads == 3);
  CHECK(a.options.agents.size() == 2);
  CHECK(b.options.cluster.listen == "127.0.0.1:7802");
  CHECK(a.options.http.listen.empty());
  CHECK(b.options.http.listen == "127.0.0.1:7812");
  CHECK(b.options.cluster.join == "127.0.0.1:7801");
  CHECK(b.workflows.empty());
  REQUIRE(b.options.agents.size() == 1);
  CHECK(b.options.agents[0].common.name == "echo");
}

TEST_CASE("several nodes of a cluster file may have the store if it is on a server, and a node has the usual roles") {
  const std::string nodes = "[[node]]\nname = \"a\"\nlisten = \"127.0.0.1:7801\"\n"
                            "[[node]]\nname = \"b\"\nlisten = \"127.0.0.1:7802\"\n";
  const std::string webhook = "[[webhook]]\nname = \"chat\"\nurl = \"http://127.0.0.1:3/\"\nevents = [\"error\"]\n";
  const std::string on_server =
    "folder = \"x\"\nworkflows = [\"w.toml\"]\n[store]\nurl = \"postgresql://app@db/work\"\n";
  const auto planned =
    plan(on_server + webhook + nodes + "[[node]]\nname = \"c\"\nroles = [\"agents\"]\nlisten = \"127.0.0.1:7803\"\n");
  REQUIRE(planned.size() == 3);
  for (const std::size_t number : {0U, 1U}) {
    const auto n = parse_config(planned.at(number).config, "n");
    CHECK(n.options.roles == node_options{}.roles);
    CHECK(n.options.store_server.url == "postgresql://app@db/work");
    CHECK(n.options.cluster.join.empty()); // the server tells
    CHECK(n.workflows.size() == 1);
    CHECK(n.options.webhooks.size() == 1);
  }
  const auto c = parse_config(planned.at(2).config, "c");
  CHECK(c.options.cluster.join == "127.0.0.1:7801,127.0.0.1:7802");
  CHECK(c.options.webhooks.empty());
  CHECK_THAT(plan_complaint(on_server + "[[node]]\nname = \"a\"\nroles = []\n"),
             Contains("at least one node must have the role `store`, not 0"));
  CHECK_THAT(plan_complaint("folder = \"x\"\n" + nodes),
             Contains("exactly one node must have the role `store`, not 2"));
}

TEST_CASE("how long ended tasks are kept is told in the cluster file, too") {
  const auto nodes = plan(two_nodes
                          + "[retention]\nkeep_for = \"1d\"\n"
                            "[[retention.workflow]]\nname = \"w\"\nkeep_at_most = 7\n");
  const auto keep = parse_config(nodes.at(0).config, "a").options.retention;
  CHECK(keep.others == workflow::retention{std::chrono::hours{24}, {}});
  CHECK(workflow::retention_of(keep, "w") == workflow::retention{{}, 7});
  CHECK_THAT(plan_complaint(two_nodes + "[retention]\nkeep_fr = \"1d\"\n"), Contains("did you mean \"keep_for\""));
}

TEST_CASE("what a cluster file names is beside it, also what is not there yet and where the file has no folder") {
  const tests::temp_folder folder;
  folder.write("cluster.toml", "certificates = \"certs\"\n" + two_nodes);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto nodes = plan_cluster("cluster.toml", "/tmp/nodes");
  std::filesystem::current_path(before);
  const auto a = parse_config(nodes.at(0).config, "a");
  const auto here = std::filesystem::canonical(folder.path());
  CHECK(a.options.cluster.certificate == here / "certs" / "a.pem");
  CHECK(a.options.cluster.authority == here / "certs" / "authority.pem");
  CHECK(a.workflows.at(0) == here / "w.toml");
}

TEST_CASE("paths and secrets of a cluster file count from its folder, as those of a node's file do") {
  const tests::temp_folder folder;
  folder.write("ca.pem", "");
  folder.write("secret", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
  std::filesystem::permissions(folder.path() / "secret", std::filesystem::perms::owner_read);
  folder.write("cluster.toml", two_nodes + R"(ca_file = "ca.pem"
headers = { key = "not-a-path", Authorization = { file = "secret" } }
[[webhook]]
name = "chat"
url = "http://127.0.0.1:3/"
secret = { file = "secret" }
events = ["error"]
[http]
tokens = "tokens.json"
certificate = "n.pem"
key = "/elsewhere/n.key"
authority = "certs/ca.pem"
)");
  const auto nodes = plan_cluster(folder.path() / "cluster.toml", "/tmp/nodes");
  const auto a = parse_config(nodes.at(0).config, "a").options; // the secrets are found
  const auto here = std::filesystem::canonical(folder.path());
  CHECK(a.webhooks.size() == 1);
  CHECK(parse_config(nodes.at(1).config, "b").options.webhooks.empty()); // the node with the store delivers
  CHECK(a.http.tokens == here / "tokens.json");
  CHECK(a.http.certificate == here / "n.pem");
  CHECK(a.http.key == "/elsewhere/n.key");
  CHECK(a.http.authority == here / "certs" / "ca.pem");
  CHECK_THAT(nodes.at(0).config, Contains((here / "ca.pem").string()) && Contains("not-a-path"));
  CHECK_THAT(nodes.at(0).config, !Contains((here / "not-a-path").string()));
}

TEST_CASE("row 80: a cluster file with a mistake is refused with what is wrong") {
  CHECK_THAT(plan_complaint("folder = \"x\""), Contains("exactly one node must have the role `store`, not 0"));
  auto twice = two_nodes;
  twice.replace(twice.find("name = \"b\""), 10, "name = \"a\"");
  CHECK_THAT(plan_complaint(twice), Contains("there are two nodes `a`"));
  const std::string one = "folder = \"x\"\n[[node]]\nname = \"a\"\nroles = [\"store\"]\nagents = [\"echo\"]\n";
  CHECK_THAT(plan_complaint("agent = [1]\n" + one), Contains("agent: must be a list of tables"));
  CHECK_THAT(plan_complaint("workflows = [1]\n" + one), Contains("workflows: must be a list of texts"));
  CHECK_THAT(plan_complaint("workflows = [\"" + std::string(5000, 'w') + "\"]\n" + one),
             Contains("workflows: ") && Contains("is no path"));
  auto wrong = two_nodes;
  wrong.replace(wrong.find("threads"), 7, "treads");
  CHECK_THAT(plan_complaint(wrong), Contains("node a:") && Contains("treads: unknown key; did you mean \"threads\"?"));
}
