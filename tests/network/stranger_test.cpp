// Who does not belong to the cluster and talks to its nodes all the same.

#include "tests/support/node_cluster.hpp"

#include "runtime/address.hpp"

#include <catch2/catch.hpp>

#include <asio/ip/tcp.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

using namespace steadfast::tests;

namespace {

namespace fs = std::filesystem;

/// A copy of the program that speaks another protocol.
void make_other_version(const fs::path& program, const fs::path& copy) {
  std::ifstream in{program, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  const std::string protocol = "steadfast-4";
  std::size_t changed = 0;
  for (auto at = bytes.find(protocol); at != std::string::npos; at = bytes.find(protocol, at), ++changed)
    bytes[at + protocol.size() - 1] = '9';
  REQUIRE(changed > 0);
  std::ofstream{copy, std::ios::binary} << bytes;
  fs::permissions(copy, fs::perms::owner_all);
}

/// Two nodes that know each other by certificates, and whoever else a test lets try.
class certified_cluster {
public:
  certified_cluster() {
    make_certificates("certificates", {"a", "b"});
    make_certificates("others", {"c"});
    start("a", config("a", "certificates", ""));
    start("b", config("b", "certificates", address_));
  }

  /// A node with certificates from that folder; empty: with none. It is not waited for.
  running_program& start(const std::string& name, const std::string& config) {
    folder_.write(name + ".toml", config);
    running_[name] = std::make_unique<running_program>(
      STEADFAST_BINARY, std::vector<std::string>{"serve", "-c", folder_.path() / (name + ".toml")});
    return *running_[name];
  }

  std::string config(const std::string& name, const std::string& certificates, const std::string& join) const {
    std::string text = "name = \"" + name + "\"\nroles = [" + (join.empty() ? "\"store\"" : "\"agents\"")
                       + "]\n[store]\npath = \"" + name + "-store\"\n[control]\nsocket = \"" + name
                       + ".sock\"\n[cluster]\njoin = \"" + join + "\"\n";
    if (join.empty())
      text += "listen = \"" + address_ + "\"\n";
    if (certificates.empty())
      return text;
    const auto file = [&](const std::string& end) { return "\"" + certificates + "/" + end + "\"\n"; };
    return text + "certificate = " + file(name + ".pem") + "key = " + file(name + ".key")
           + "authority = " + file("authority.pem");
  }

  bool lists_two_nodes() const {
    return node_cluster::eventually(
      [&] {
        const auto end = run_program(STEADFAST_BINARY, {"node", "list", "-c", folder_.path() / "b.toml", "--json"});
        return end.out.find("\"a\"") != std::string::npos && end.out.find("\"b\"") != std::string::npos;
      },
      patience);
  }

  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }
  running_program& process(const std::string& name) { return *running_.at(name); }

private:
  void make_certificates(const std::string& folder, std::vector<std::string> names) const {
    std::vector<std::string> arguments{"cluster", "certs", "--folder", folder_.path() / folder};
    arguments.insert(arguments.end(), names.begin(), names.end());
    const auto end = run_program(STEADFAST_BINARY, arguments);
    INFO(end.err);
    REQUIRE(end.code == 0);
  }

  temp_folder folder_;
  std::uint16_t port_ = steadfast::runtime::free_ports(1).front();
  std::string address_ = "127.0.0.1:" + std::to_string(port_);
  std::map<std::string, std::unique_ptr<running_program>> running_;
};

std::size_t resident_kb(pid_t process) {
  std::ifstream in{"/proc/" + std::to_string(process) + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:"))
      return std::stoul(line.substr(6));
  return 0;
}

} // namespace

TEST_CASE("a node of another protocol version is refused, and both logs say why") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  const temp_folder folder;
  const auto other = folder.path() / "steadfast";
  make_other_version(STEADFAST_BINARY, other);
  cluster.kill("c");
  const running_program stranger{other, {"serve", "-c", cluster.config("c")}};
  const auto is_told = [&] { return cluster.logs().find("it speaks another protocol than") != std::string::npos; };
  CHECK(node_cluster::eventually(is_told, patience));
  CHECK(node_cluster::eventually([&] { return cluster.living("a") == 2; }, patience));
}

TEST_CASE("row 82: garbage at the port of a node with certificates is dropped, its memory stays flat, it goes on") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  const auto before = resident_kb(cluster.process("a").pid());
  for (int i = 0; i < 20; ++i) {
    asio::ip::tcp::iostream stranger{"127.0.0.1", std::to_string(cluster.port())};
    // A TLS record that claims to be as long as can be, then what no protocol knows.
    stranger << (i % 2 == 0 ? std::string{"\x16\x03\x01\xff\xff", 5} : std::string{}) << std::string(1 << 20, '\xff')
             << std::flush;
  }
  CHECK(cluster.lists_two_nodes());
  CHECK(resident_kb(cluster.process("a").pid()) < before + 64 * 1024);
}

TEST_CASE("row 82: a node without certificates, and one whose authority is another, do not get in and say so") {
  certified_cluster cluster;
  REQUIRE(cluster.lists_two_nodes());
  for (const auto* certificates : {"", "others"}) {
    auto& stranger = cluster.start("c", cluster.config("c", certificates, cluster.address()));
    INFO(certificates);
    CHECK(stranger.says("no connection to " + cluster.address(), patience));
  }
  CHECK(cluster.lists_two_nodes());
}
