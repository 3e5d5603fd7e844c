// Clocks that are wrong, and a machine that sleeps.

#include "tests/support/clusters/node_cluster.hpp"
#include "tests/support/processes/wall_clock.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <thread>

using namespace steadfast::tests;
using std::chrono::seconds;

namespace {

/// Three nodes that believe one wall clock, which a test sets wrong.
struct clocked {
  temp_folder folder;
  wall_clock clock{folder.path() / "wall_clock"};
  std::optional<node_cluster> nodes;

  /// False: clocks cannot be set here.
  bool start() {
    if (!wall_clock::works_with(STEADFAST_BINARY)) {
      skip("libfaketime is not installed, or does not work with this build");
      return false;
    }
    nodes.emplace(STEADFAST_BINARY, nullptr, clock.environment());
    nodes->start();
    return true;
  }
};

} // namespace

TEST_CASE("row 50: a wall clock that jumps by hours and years under running nodes changes nothing") {
  clocked c;
  if (!c.start())
    return;
  auto& cluster = *c.nodes;
  int submitted = 0;
  for (const auto wrong_by : {seconds{3600}, seconds{-3600}, seconds{315'360'000}, seconds{0}}) {
    c.clock.set_wrong_by(wrong_by);
    std::this_thread::sleep_for(seconds{2}); // each process reads the file every second, and none says so
    cluster.submit("b", "t" + std::to_string(submitted) + "-", 3);
    submitted += 3;
    INFO("wrong by " << wrong_by.count() << " s\n" << cluster.logs());
    CHECK(cluster.all_processed("a", submitted));
    CHECK(cluster.living("c") == 3);
  }
  for (const auto& task : cluster.json_of("a", {"task", "list"}))
    CHECK(task.at("takeovers") == 0);
}

TEST_CASE(
  "row 50: attempts are over at their complete-by, neither early nor much later, though one host's clock jumps") {
  if (!wall_clock::works_with(STEADFAST_BINARY)) {
    skip("libfaketime is not installed, or does not work with this build");
    return;
  }
  constexpr seconds complete_by{8};
  temp_folder folder;
  node_cluster cluster{STEADFAST_BINARY};
  std::map<std::string, wall_clock> clocks;
  for (const std::string name : {"a", "b", "c"}) {
    clocks.emplace(name, wall_clock{folder.path() / name});
    cluster.set_environment(name, clocks.at(name).environment());
  }
  cluster.start();
  const std::map<std::string, seconds> jumps{{"a", seconds{3600}}, {"b", seconds{-3600}}, {"c", seconds{315'360'000}}};
  int ended = 0;
  for (const auto& [name, wrong_by] : jumps) {
    const auto begun = std::chrono::steady_clock::now();
    cluster.occupy("brief", name + "-");
    clocks.at(name).set_wrong_by(wrong_by);
    const auto is_over = [&, name = name](int i) {
      const auto attempts = cluster.attempts(name + "-" + std::to_string(i), "b");
      return !attempts.empty() && attempts.at(0).at("outcome") != "open";
    };
    for (int i = 0; i < node_cluster::occupied; ++i) {
      INFO(name << " is wrong by " << wrong_by.count() << " s, task " << i << '\n' << cluster.logs());
      REQUIRE(node_cluster::eventually([&] { return is_over(i); }, patience)); // far less than the clock is wrong by
      CHECK(std::chrono::steady_clock::now() - begun >= complete_by);
    }
    cluster.release();
    ended += node_cluster::occupied;
    CHECK(cluster.all_processed("b", ended));
    cluster.hold();
  }
}

TEST_CASE("row 50: a node is started again under a clock that is an hour ahead, and its cluster follows another's") {
  clocked c;
  if (!c.start())
    return;
  auto& cluster = *c.nodes;
  c.clock.set_wrong_by(seconds{3600});
  cluster.kill("b");
  cluster.start("b");
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return cluster.living("b") == 3; }, patience));
  cluster.submit("b", "t", 1);
  CHECK(cluster.all_processed("a", 1));
  CHECK(cluster.living("a") == 3);
}

TEST_CASE(
  "row 52: nodes that slept have lost their leases, their attempts are over at once, and all goes on without a storm") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  cluster.occupy("brief"); // each has work in flight
  const auto before = cluster.lease_epochs("a");
  REQUIRE(before.size() == 3);
  std::map<std::string, nlohmann::json> begun;
  for (int i = 0; i < node_cluster::occupied; ++i)
    begun["held" + std::to_string(i)] = cluster.attempts("held" + std::to_string(i));
  for (const auto* name : {"a", "b", "c"})
    cluster.process(name).signal(SIGSTOP);
  std::this_thread::sleep_for(seconds{12}); // every lease, connection and attempt is over; nobody is awake to be asked
  for (const auto* name : {"a", "b", "c"})
    cluster.process(name).signal(SIGCONT);
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return cluster.living("b") == 3; }, patience));
  cluster.release();
  CHECK(cluster.all_processed("a", node_cluster::occupied));
  for (const auto& [name, epoch] : cluster.lease_epochs("a")) {
    INFO("lease of " << name);
    CHECK(epoch > before.at(name));
  }
  for (const auto& [id, earlier] : begun) {
    const auto attempts = cluster.attempts(id);
    INFO(id << " had " << earlier.dump() << " before: " << attempts.dump());
    // The one under way was lost: its line may have given way to that of a later refusal, its number is not used again.
    CHECK(attempts.back().at("attempt") > earlier.back().at("attempt"));
    CHECK(attempts.size() <= earlier.size() + 3); // and no more than few were begun in its place
  }
}
