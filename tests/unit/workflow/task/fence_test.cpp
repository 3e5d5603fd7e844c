#include "tests/support/property.hpp"
#include "workflow/task/fence.hpp"

#include <catch2/catch.hpp>

#include <map>

using steadfast::workflow::fence;

TEST_CASE("a fence admits the highest epoch and higher ones, and no lower one") {
  fence f{10};
  CHECK(f.admits(1, 5));
  CHECK(f.admits(1, 5));
  CHECK_FALSE(f.admits(1, 4));
  CHECK(f.admits(1, 6));
  CHECK_FALSE(f.admits(1, 5));
  CHECK(f.admits(2, 1));
}

TEST_CASE("a fence forgets the task it heard of longest ago, and never grows beyond its bound") {
  fence f{3};
  CHECK(f.admits(1, 5));
  CHECK(f.admits(2, 5));
  CHECK(f.admits(3, 5));
  CHECK(f.admits(1, 5));
  CHECK(f.admits(4, 5));
  CHECK(f.size() == 3);
  CHECK_FALSE(f.admits(1, 4));
  CHECK_FALSE(f.admits(3, 4));
  CHECK(f.admits(2, 4));
  CHECK(f.size() == 3);
}

TEST_CASE("as long as it need not forget, a fence agrees with a map", "[property]") {
  steadfast::tests::holds(100, 100, [] {
    fence f{8};
    std::map<std::uint64_t, std::uint64_t> highest;
    for (int i = 0; i < 200; ++i) {
      const auto task = *rc::gen::inRange<std::uint64_t>(0, 8);
      const auto epoch = *rc::gen::inRange<std::uint64_t>(1, 20);
      const bool admitted = epoch >= highest[task];
      RC_ASSERT(f.admits(task, epoch) == admitted);
      highest[task] = std::max(highest[task], epoch);
    }
  });
}

TEST_CASE("row 54: a fence knows what ended under the epoch in force, and forgets it with the next") {
  fence f{10};
  CHECK(f.admits(1, 5));
  CHECK_FALSE(f.has_ended(1, 0, 1));
  f.end(1, 5, 0, 2);
  CHECK(f.has_ended(1, 0, 1));
  CHECK(f.has_ended(1, 0, 2));
  CHECK_FALSE(f.has_ended(1, 0, 3));
  CHECK_FALSE(f.has_ended(1, 1, 1));
  CHECK(f.admits(1, 6));
  CHECK_FALSE(f.has_ended(1, 0, 2)); // ordered again under a new lock
  f.end(1, 5, 0, 2);
  CHECK_FALSE(f.has_ended(1, 0, 2));
}
