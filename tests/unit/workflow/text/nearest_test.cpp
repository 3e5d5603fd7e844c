#include "workflow/text/nearest.hpp"

#include <catch2/catch.hpp>

using steadfast::workflow::nearest;

TEST_CASE("a mistyped name finds the one that was meant") {
  const std::vector<std::string> known{"in_flight_max", "period", "slack", "lease", "url"};
  CHECK(nearest("in_flight_mx", known) == "in_flight_max");
  CHECK(nearest("peroid", known) == "period");
  CHECK(nearest("uri", known) == "url");
  CHECK(nearest("in-flight-max", known) == "in_flight_max");
  CHECK_FALSE(nearest("something_else", known));
  CHECK_FALSE(nearest("", known));
  CHECK_FALSE(nearest(std::string(100'000, 'a'), known));
}
