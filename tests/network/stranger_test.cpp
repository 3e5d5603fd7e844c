// Who does not belong to the cluster and talks to its nodes all the same.

#include "tests/network/certified_cluster.hpp"

#include <catch2/catch.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace steadfast::tests;

namespace {

namespace fs = std::filesystem;

/// A copy of the program that speaks another protocol.
void make_other_version(const fs::path& program, const fs::path& copy) {
  std::ifstream in{program, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  const std::string protocol = "steadfast-5";
  std::size_t changed = 0;
  for (auto at = bytes.find(protocol); at != std::string::npos; at = bytes.find(protocol, at), ++changed)
    bytes[at + protocol.size() - 1] = '9';
  REQUIRE(changed > 0);
  std::ofstream{copy, std::ios::binary} << bytes;
  fs::permissions(copy, fs::perms::owner_all);
}

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
    boost::asio::ip::tcp::iostream stranger{"127.0.0.1", std::to_string(cluster.port())};
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
