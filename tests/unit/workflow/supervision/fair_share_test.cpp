#include "workflow/supervision/fair_share.hpp"

#include "tests/support/property.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace steadfast::workflow;

namespace {

/// A scheduler under a backlog of every workflow: places are filled by the rule, and get free as the test says.
struct crowd {
  std::uint64_t max;
  std::vector<std::uint64_t> in_flight;

  std::uint64_t taken() const { return std::accumulate(in_flight.begin(), in_flight.end(), std::uint64_t{0}); }
  places now() const { return {max, taken()}; }
  void fill() {
    while (const auto i = whose_turn(in_flight, now()))
      ++in_flight[*i];
  }
  void end(std::size_t workflow) { in_flight[workflow] -= in_flight[workflow] > 0 ? 1 : 0; }
};

} // namespace

TEST_CASE("a workflow alone gets every place, and not one more") {
  for (const std::uint64_t max : {1U, 2U, 7U, 8U, 9U, 50U, 1024U}) {
    crowd c{max, {0}};
    c.fill();
    CHECK(c.in_flight[0] == max);
  }
}

TEST_CASE("who comes to places that are all taken by one workflow finds some, about one for every eight") {
  for (const std::uint64_t max : {1U, 3U, 8U, 64U, 1024U}) {
    crowd c{max, {max, 0}};
    CHECK(room_in(c.now()) == (max + 7) / 8);
    c.fill();
    CHECK(c.in_flight[0] == max);
    CHECK(c.in_flight[1] >= std::max<std::uint64_t>(max / 9, 1));
  }
}

TEST_CASE("places that get free go to the workflow that has fewer, until both have as many") {
  crowd c{1024, {1024, 0}};
  c.fill();
  while (c.in_flight[0] > c.in_flight[1] + 1) {
    const auto before = c.in_flight;
    c.end(0);
    c.fill();
    REQUIRE(c.in_flight[0] < before[0]);
    REQUIRE(c.in_flight[1] >= before[1]);
  }
  CHECK(c.taken() >= 1024);
}

TEST_CASE("the workflow with the lowest load is next, the first of equals, and without any nobody is") {
  CHECK(whose_turn({3, 1, 2, 1}, {10, 7}) == 1);
  CHECK_FALSE(whose_turn({}, {10, 0}));
  CHECK_FALSE(whose_turn({2, 1}, {1, 3}));
}

TEST_CASE("a workflow whose tasks no agent takes tries about as many in vain as there are free places") {
  std::uint64_t given_back = 0;
  for (const places free{100, 0}; may_take(load_of(0, given_back), free);)
    ++given_back;
  CHECK(given_back == 113);
  given_back = 0;
  for (const places busy{100, 100}; may_take(load_of(0, given_back), busy);)
    ++given_back;
  CHECK(given_back == 13);
  CHECK(may_take(load_of(0, 0), {100, 100})); // which keeps nobody else from anything
}

TEST_CASE(
  "whatever comes and goes, no place is wasted, the bound holds, and who has nothing is never kept out for long") {
  steadfast::tests::holds(200, 100, [](const std::vector<std::uint8_t>& steps) {
    const auto choices = steadfast::tests::some_choices();
    crowd c{choices.empty() ? 16 : 1 + choices[0] % 200, std::vector<std::uint64_t>(1 + steps.size() % 6)};
    c.fill();
    for (const auto s : steps) {
      c.end(s % c.in_flight.size());
      c.fill();
      const auto all = c.max + (c.max + 7) / 8;
      RC_ASSERT(c.taken() >= c.max);
      RC_ASSERT(c.taken() <= all);
      const auto [least, most] = std::minmax_element(c.in_flight.begin(), c.in_flight.end());
      RC_ASSERT(*most <= c.max);
      RC_ASSERT(*least > 0 || c.taken() == all); // else it could take one
    }
  });
}
