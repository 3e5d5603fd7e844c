#include "workflow/definition/routing.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace steadfast::workflow;

TEST_CASE("an attempt goes where the load is lowest") {
  for (std::uint64_t chance = 0; chance < 10; ++chance)
    CHECK(choose_place({3, 1, 2}, chance) == 1);
}

TEST_CASE("among equals the chance decides, and each is chosen as often") {
  std::map<std::size_t, int> chosen;
  for (std::uint64_t chance = 0; chance < 300; ++chance)
    ++chosen[choose_place({1, 1, 1}, chance).value()];
  CHECK(chosen == std::map<std::size_t, int>{{0, 100}, {1, 100}, {2, 100}});
}

TEST_CASE("where no agent lives nothing is chosen") {
  CHECK_FALSE(choose_place({}, 5));
}
