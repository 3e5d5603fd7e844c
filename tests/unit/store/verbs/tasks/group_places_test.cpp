// Who of a group may begin, as values.

#include "store/verbs/tasks/group_places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace steadfast::store;

namespace {

using kind = place_change::kind;

limit_member member(std::uint64_t number, std::uint32_t at_a_time = 1, std::uint8_t priority = 5) {
  return {priority, number, 7, at_a_time};
}

/// Until there is nothing to be done.
void settle(group_places& now, std::set<limit_member>& waiting) {
  for (std::size_t steps = 0;; ++steps) {
    REQUIRE(steps < 1000);
    const auto first = waiting.empty() ? std::nullopt : std::optional{*waiting.begin()};
    const auto change = next_place_change(now, first);
    if (!change)
      return;
    if (change->what == kind::give) {
      REQUIRE(waiting.erase(change->whose) == 1);
      now.admitted.push_back(change->whose);
    } else {
      REQUIRE(std::erase(now.admitted, change->whose) == 1);
      waiting.insert(change->whose);
    }
  }
}

} // namespace

TEST_CASE("a free place goes to the first that waits, and none is given while all are taken") {
  CHECK(next_place_change({0, {}}, member(4)) == place_change{kind::give, member(4)});
  CHECK_FALSE(next_place_change({1, {}}, member(4)));
  CHECK_FALSE(next_place_change({0, {member(3)}}, member(4)));
  CHECK_FALSE(next_place_change({0, {}}, std::nullopt));
  CHECK(next_place_change({1, {}}, member(4, 2)) == place_change{kind::give, member(4, 2)});
}

TEST_CASE("who comes late and is first gets the place of the last that has not begun") {
  CHECK(next_place_change({0, {member(3)}}, member(2)) == place_change{kind::take_back, member(3)});
  CHECK(next_place_change({0, {member(3)}}, member(4, 1, 0)) == place_change{kind::take_back, member(3)});
  CHECK(next_place_change({1, {member(3, 3), member(4, 3)}}, member(2, 3))
        == place_change{kind::take_back, member(4, 3)});
}

TEST_CASE("a place is taken back when one that had ended is under way again") {
  CHECK(next_place_change({1, {member(3)}}, std::nullopt) == place_change{kind::take_back, member(3)});
  CHECK_FALSE(next_place_change({3, {}}, member(4, 2)));
}

TEST_CASE("those with a place are the first, and as many as may be, whatever comes and goes") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::mt19937 chance{seed};
    group_places now;
    std::set<limit_member> waiting;
    const std::uint32_t at_a_time = 1 + chance() % 4;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const auto what = chance() % 4;
      if (what < 2)
        waiting.insert(member(1000 * (chance() % 100) + i, at_a_time, static_cast<std::uint8_t>(chance() % 3)));
      else if (what == 2 && !now.admitted.empty()) {
        now.admitted.erase(now.admitted.begin()); // it is taken, or cancelled
        now.under_way += chance() % 2;
      } else if (now.under_way > 0) {
        --now.under_way;
      }
      settle(now, waiting);
      CHECK(now.taken() <= std::max<std::size_t>(at_a_time, now.under_way));
      CHECK((waiting.empty() || now.taken() >= at_a_time));
      for (const auto& m : now.admitted)
        CHECK((waiting.empty() || m < *waiting.begin()));
    }
  }
}
