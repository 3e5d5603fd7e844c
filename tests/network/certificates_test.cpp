// Nodes that know each other by certificates: they stay connected, whatever strangers do and while their files change.

#include "runtime/text/address.hpp"
#include "tests/network/certified_cluster.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/proc_files.hpp"

#include <catch2/catch.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using std::chrono::seconds;

namespace {

namespace fs = std::filesystem;

/// TCP sockets that the process listens at.
std::size_t listening_sockets(pid_t process) {
  std::set<std::string> own;
  for (const auto& entry : fs::directory_iterator{"/proc/" + std::to_string(process) + "/fd"}) {
    std::error_code closed;
    own.insert(fs::read_symlink(entry.path(), closed).string());
  }
  std::size_t count = 0;
  for (const auto* table : {"tcp", "tcp6"}) {
    std::ifstream in{"/proc/" + std::to_string(process) + "/net/" + table};
    for (std::string line; std::getline(in, line);) {
      std::istringstream words{line};
      std::vector<std::string> w{std::istream_iterator<std::string>{words}, {}};
      count += w.size() > 9 && w[3] == "0A" && own.contains("socket:[" + w[9] + "]") ? 1 : 0;
    }
  }
  return count;
}

} // namespace

TEST_CASE("a node listens at the port that it was given, and one that was given none at none") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  CHECK(listening_sockets(cluster.process("a").pid()) == 1);
  CHECK(listening_sockets(cluster.process("b").pid()) == 0);
}

TEST_CASE("row T1: three nodes with certificates that are asked all the time lose no connection and stay alive") {
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, trust::certified};
  cluster.start();
  const auto all_connected = [&] {
    const auto text = cluster.logs();
    return text.find("connected to node b") != std::string::npos
           && text.find("connected to node c") != std::string::npos;
  };
  REQUIRE(node_cluster::eventually(all_connected, patience));
  const auto before = cluster.lost_connections();
  const auto until = std::chrono::steady_clock::now() + seconds{20}; // CAF's own lost the first within five
  int tasks = 0;
  while (std::chrono::steady_clock::now() < until) {
    for (const auto* name : {"a", "b", "c"})
      for (const auto& n : cluster.json_of(name, {"node", "list"})) {
        INFO(cluster.logs());
        CHECK(n.at("alive") == true); // a busy one may be too slow to say so itself
      }
    cluster.submit("b", "t" + std::to_string(tasks++) + "-", 1); // throws when it is not taken
  }
  INFO(cluster.logs());
  CHECK(cluster.all_processed("c", tasks));
  CHECK(cluster.lost_connections() == before);
}

TEST_CASE("row T2: strangers that say nothing cost a node with certificates no time and disturb nobody") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  std::deque<boost::asio::ip::tcp::iostream> silent;
  const auto before = cpu_ticks(cluster.process("a").pid());
  for (int i = 0; i < 10; ++i)
    silent.emplace_back("127.0.0.1", std::to_string(cluster.port()));
  CHECK(
    cluster.process("a").says("refused a connection from 127.0.0.1: it did not say who it is within 5 s", patience));
  CHECK(cpu_ticks(cluster.process("a").pid()) - before < 150); // five seconds of a core would be 500
  CHECK(cluster.lists_two_nodes());
  CHECK(cluster.process("b").err().find("lost") == std::string::npos);
}

TEST_CASE("row T3: a key that is emptied under a running node ends nothing, and SIGHUP keeps what is good") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  const auto key = cluster.certificates() / "a.key";
  const auto saved = fs::path{key}.concat(".saved");
  fs::copy_file(key, saved);
  std::ofstream{key, std::ios::trunc}.flush();
  cluster.process("a").signal(SIGHUP);
  CHECK(cluster.process("a").says("certificates stay as they were: cluster.key: ", patience));
  cluster.start("c", cluster.config("c", "certificates", cluster.address()));
  CHECK(cluster.process("c").says("connected to node a", patience));
  fs::copy_file(saved, key, fs::copy_options::overwrite_existing);
}

TEST_CASE("on SIGHUP a node with a certificate for HTTP alone reads it anew, and a wrong one ends nothing") {
  const temp_folder folder;
  const auto certs = folder.path() / "certs";
  REQUIRE(run_program(STEADFAST_BINARY, {"cluster", "certs", "--folder", certs.string(), "--store", "a"}).code == 0);
  const auto key = certs / "a.key";
  node_process node{STEADFAST_BINARY,
                    "[http]\nlisten = \"127.0.0.1:" + std::to_string(steadfast::runtime::free_ports(1).front())
                      + "\"\ncertificate = \"" + (certs / "a.pem").string() + "\"\nkey = \"" + key.string() + "\"\n"};
  node.start();
  node.process().signal(SIGHUP);
  CHECK(node.process().says("the certificate for HTTP was read anew", patience));
  std::ofstream{key, std::ios::trunc}.flush();
  node.process().signal(SIGHUP);
  CHECK(node.process().says("the certificate for HTTP is unchanged: http.key: ", patience));
  CHECK(node.command({"node", "show"}).code == 0);
}

TEST_CASE("a renewed certificate is used from SIGHUP on, open connections stay, and node list shows its end") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  const auto ends = [&] { return cluster.told("b", {"node", "list", "--json"}); };
  const auto before = ends();
  CHECK(before.find("certificate_until\":\"2") != std::string::npos);
  const auto renewed = run_program(
    STEADFAST_BINARY, {"cluster", "certs", "renew", "a", "--days", "20", "--folder", cluster.certificates()});
  INFO(renewed.err);
  REQUIRE(renewed.code == 0);
  cluster.process("a").signal(SIGHUP);
  CHECK(cluster.process("a").says("certificates reloaded", patience));
  CHECK(cluster.process("a").says("the certificate of `a` ends on ", patience)); // within 30 days
  CHECK(node_cluster::eventually([&] { return ends() != before; }, patience));
  cluster.start("c", cluster.config("c", "certificates", cluster.address()));
  CHECK(cluster.process("c").says("connected to node a", patience));
  CHECK(cluster.process("b").err().find("lost") == std::string::npos);
}

TEST_CASE("a certificate that ends soon is an incident of its node, and ends by itself once the node uses a new one") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  auto config = cluster.config("c", "certificates", cluster.address());
  config.replace(config.find("\"agents\""), std::string_view{"\"agents\""}.size(), "\"supervisor\"");
  config += "[conditions]\nperiod = \"1s\"\n";
  cluster.start("c", config);
  const auto renew = [&](const std::string& days) {
    const auto end = run_program(
      STEADFAST_BINARY, {"cluster", "certs", "renew", "a", "--days", days, "--folder", cluster.certificates()});
    INFO(end.err);
    REQUIRE(end.code == 0);
    cluster.process("a").signal(SIGHUP);
  };
  const auto tells = [&](const std::string& text) {
    return cluster.told("b", {"alerts", "list", "--json"}).find(text) != std::string::npos;
  };
  renew("20");
  CHECK(node_cluster::eventually([&] { return tells("the certificate of node `a` ends "); }, patience));
  CHECK_THAT(cluster.told("b", {"status"}), Contains("the certificate of node `a` ends"));
  renew("800");
  CHECK(node_cluster::eventually([&] { return !tells("the certificate of node `a` ends "); }, patience));
  CHECK_THAT(cluster.told("b", {"incidents", "list"}), Contains("there is no open incident"));
}

TEST_CASE("a node refuses to start with a certificate that is not for it, or a key that others can read") {
  certified_cluster cluster;
  auto& other = cluster.start("c", cluster.config("c", "certificates", cluster.address(), "b"));
  CHECK(other.wait(patience).value_or(-1) == 78);
  CHECK_THAT(other.err(), Contains("is that of `b`, and this node is named `c`"));
  auto& client = cluster.start("desk", cluster.config("desk", "certificates", cluster.address()));
  CHECK(client.wait(patience).value_or(-1) == 78);
  CHECK_THAT(client.err(), Contains("is one of a client, and the roles make this a node"));
  fs::permissions(cluster.certificates() / "c.key", fs::perms{0644});
  auto& readable = cluster.start("c", cluster.config("c", "certificates", cluster.address()));
  CHECK(readable.wait(patience).value_or(-1) == 78);
  CHECK_THAT(readable.err(), Contains("can be read by other users") && Contains("chmod 600"));
}
