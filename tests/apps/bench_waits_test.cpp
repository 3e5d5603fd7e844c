// The loads of workflows that wait, at sizes that take no time: all that is submitted ends, and the figures are of it.

#include "apps/bench/load/waiting_load.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;

TEST_CASE("the loads of workflows that wait count what has ended") {
  const tests::temp_folder folder;
  bench::waiting_load load{folder.path().string()};
  SECTION("events") {
    load.submit_waiters(300, true);
    const auto figures = load.send_events(300);
    CHECK(figures.at("events_per_second") <= figures.at("sent_per_second"));
    CHECK(figures.at("events_per_second") > 0);
  }
  SECTION("one event for all") {
    load.submit_waiters(300, false);
    const auto figures = load.release();
    CHECK(figures.at("released") == 300);
    CHECK(figures.at("seconds") > 0);
  }
  SECTION("sleep, which ends at its moment and not before") {
    const auto late = load.sleep(100, 2).at("late_ms");
    CHECK(late.at("count") == 200);
  }
  SECTION("items, children and limits") {
    CHECK(load.run_items(2, 40).at("items_per_second") > 0);
    CHECK(load.run_children(40).at("children_per_second") > 0);
    const auto figures = load.run_beside(400);
    CHECK(figures.at("alone_ms").at("count") == 100);
    CHECK(figures.at("beside_ms").at("count") == 100);
  }
}
