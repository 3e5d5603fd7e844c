#include "workflow/time_text.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

TEST_CASE("a moment is written in UTC with milliseconds") {
  CHECK(utc_text(instant{}) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_text(instant{1'767'268'805'250ms}) == "2026-01-01T12:00:05.250Z");
  CHECK(utc_text(instant{1'709'251'199'999ms}) == "2024-02-29T23:59:59.999Z");
  CHECK(utc_text(instant{-1ms}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("a moment of today is written as a time by which it has come") {
  CHECK(utc_clock_text(instant{1'767'268'805'000ms}) == "12:00:05");
  CHECK(utc_clock_text(instant{1'767'268'804'001ms}) == "12:00:05");
  CHECK(utc_clock_text(instant{1'709'251'199'999ms}) == "00:00:00");
}
