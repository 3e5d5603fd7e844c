#include "workflow/task/partition.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace steadfast::workflow {

namespace {

TEST_CASE("partition: an id is always in the same one, and these are where they were first") {
  CHECK(partition_of("order-1", 1) == 0);
  CHECK(partition_of("order-1", 4) == 1);
  CHECK(partition_of("order-2", 4) == 3);
  CHECK(partition_of("", 4) == 2);
}

TEST_CASE("partition: a family is together") {
  for (const auto* id : {"order-4711/ship", "order-4711/ship/3", "order-4711/ship#2/undo", "order-4711"})
    CHECK(partition_key(id) == "order-4711");
  const std::string longest(128, 'x');
  const auto child = longest.substr(0, 94) + "/0123456789abcdef0123456789abcdef"; // as a child of it is called
  CHECK(partition_key(longest) == partition_key(child));
}

TEST_CASE("partition: what a schedule makes is where the schedule is") {
  CHECK(partition_key("nightly@2026-11-24T03:00:00Z") == "nightly");
  CHECK(partition_key("nightly@2026-11-24T03:00:00Z/ship") == "nightly");
  CHECK(partition_key("nightly@home") == "nightly@home");
}

TEST_CASE("partition: ids that are alike are spread evenly") {
  std::vector<std::size_t> found(16);
  for (int i = 0; i < 16'000; ++i)
    ++found[partition_of("order-" + std::to_string(i), 16)];
  const auto [least, most] = std::minmax_element(found.begin(), found.end());
  CHECK(*least > 850);
  CHECK(*most < 1150);
}

TEST_CASE("partition: no two have the same number, and a number tells whose it is") {
  std::set<std::uint64_t> all;
  for (std::uint32_t i = 0; i < 5; ++i) {
    std::uint64_t last = 0;
    for (std::uint64_t n = 1; n <= 100; ++n) {
      last = next_number({i, 5}, last);
      CHECK(all.insert(last).second);
      CHECK(given_until(last, 5) == n);
      CHECK(partition_of_number(last, 5) == i);
    }
  }
  CHECK(next_number({}, 0) == 1);
  CHECK(next_number({}, 17) == 18);
  CHECK(given_until(0, 5) == 0);
}

} // namespace

} // namespace steadfast::workflow
