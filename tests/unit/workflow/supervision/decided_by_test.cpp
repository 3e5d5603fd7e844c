#include "workflow/supervision/decided_by.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

TEST_CASE("a change counts if it was decided by the store's clock, and not ahead of it") {
  const clock_reading stores{instant{} + 10s, instant{} + 1s};
  CHECK(why_not_by(stores, stores).empty());
  CHECK(why_not_by({instant{} + 9s, instant{} + 1s}, stores).empty());
  CHECK(why_not_by({instant{} + 11s, instant{} + 1s}, stores)
        == "it was decided by a clock that is ahead of the store's");
  CHECK(why_not_by({instant{} + 9s, instant{} + 2s}, stores) == "it was decided by another clock than the store's");
}
