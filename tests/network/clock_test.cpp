// Clocks that are wrong, and a machine that sleeps.

#include "tests/support/node_cluster.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/wall_clock.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
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
    std::this_thread::sleep_for(seconds{2}); // the library looks at the file every second
    cluster.submit("b", "t" + std::to_string(submitted) + "-", 3);
    submitted += 3;
    INFO("wrong by " << wrong_by.count() << " s\n" << cluster.logs());
    CHECK(cluster.all_processed("a", submitted));
    CHECK(cluster.living("c") == 3);
  }
  for (const auto& task : cluster.json_of("a", {"task", "list"}))
    CHECK(task.at("takeovers") == 0);
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

TEST_CASE("row 52: a machine that slept with all its nodes goes on when it wakes, and no task is lost") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  cluster.occupy(); // each has work in hand
  for (const auto* name : {"a", "b", "c"})
    cluster.process(name).signal(SIGSTOP);
  std::this_thread::sleep_for(seconds{12}); // every lease and every connection is over
  for (const auto* name : {"a", "b", "c"})
    cluster.process(name).signal(SIGCONT);
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return cluster.living("b") == 3; }, patience));
  cluster.release();
  CHECK(cluster.all_processed("a", node_cluster::occupied));
}
