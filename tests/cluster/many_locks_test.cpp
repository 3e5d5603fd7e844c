// A node that is lost with more tasks in flight than a sweep frees at a time.

#include "steadfast/client.hpp"
#include "tests/support/clusters/node_cluster.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

using namespace steadfast::tests;
namespace fs = std::filesystem;

namespace {

constexpr int many = 1500;
constexpr int in_hand_of_one = 1200; ///< two pages of the sweep that frees locks

/// Node b takes thousands of tasks at a time, a and c four each; the agent `narrow`, which waits for the release, works
/// on two at a time everywhere.
void widen_b(const node_cluster& cluster) {
  const auto folder = fs::path{cluster.config("a")}.parent_path().parent_path().parent_path();
  std::ofstream{folder / "workflows/narrow.toml"}
    << "name = \"narrow\"\n[[step]]\nname = \"step1\"\nagent = \"narrow\"\ncomplete_by = \"100s\"\n";
  for (const auto* name : {"a", "b", "c"}) {
    std::ifstream in{cluster.config(name)};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    text += "\n[[agent]]\nname = \"narrow\"\nprogram = \"/bin/sh\"\narguments = [\"-c\", \"until [ -e "
            + (folder / "released").string()
            + " ]; do sleep 0.2; done\"]\nconcurrency = 2\nqueue = 2000\nallow_root = true\n";
    const std::string few = "in_flight_max = 4";
    const auto at = text.find(few);
    REQUIRE(at != std::string::npos);
    if (std::string{name} == "b")
      text.replace(at, few.size(), "in_flight_max = 4000");
    std::ofstream{cluster.config(name)} << text;
  }
}

void submit_all(const node_cluster& cluster) {
  steadfast::client c{cluster.socket("a")};
  steadfast::submit_options how;
  for (int i = 0; i < many; ++i) {
    how.id = "t" + std::to_string(i);
    c.submit("narrow", "{}", how);
  }
}

int locked_by(const node_cluster& cluster, const std::string& node) {
  const auto lines = cluster.json_of("a", {"task", "list", "--count", "--where", "locked_by=" + node});
  return lines.empty() ? -1 : lines[0].at("count").get<int>();
}

} // namespace

TEST_CASE("row 18: a node that is killed with over a thousand tasks in flight loses all, and each goes on elsewhere") {
  node_cluster cluster{STEADFAST_BINARY};
  widen_b(cluster);
  cluster.start();
  submit_all(cluster);
  REQUIRE(node_cluster::eventually([&] { return locked_by(cluster, "b") >= in_hand_of_one; }, patience));
  const auto in_flight = cluster.json_of("a", {"task", "list", "--where", "locked_by=b", "--limit", "4000"});
  std::set<std::string> lost;
  for (const auto& t : in_flight)
    lost.insert(t.at("id").get<std::string>());
  REQUIRE(lost.size() >= in_hand_of_one);
  cluster.kill("b");
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return locked_by(cluster, "b") == 0; }, patience));
  cluster.release();
  CHECK(node_cluster::eventually([&] { return cluster.count("a", "processed") == many; }, 4 * patience));
  const auto all = cluster.json_of("c", {"task", "list", "--limit", "4000"});
  CHECK(all.size() == many);
  for (const auto& t : all)
    if (lost.contains(t.at("id").get<std::string>())) {
      INFO(t.dump());
      CHECK(t.at("lock_epoch") >= 2);
    }
}
