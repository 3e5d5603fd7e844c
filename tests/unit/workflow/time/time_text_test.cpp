#include "workflow/time/time_text.hpp"

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
  CHECK(utc_seconds_text(instant{1'767'268'805'000ms}) == "2026-01-01T12:00:05Z");
  CHECK(utc_seconds_text(instant{1'767'268'804'001ms}) == "2026-01-01T12:00:05Z");
  CHECK(utc_seconds_text(instant{1'709'251'199'999ms}) == "2024-03-01T00:00:00Z");
}

TEST_CASE("what was written as RFC 3339 is read again, and nothing else is") {
  for (const std::int64_t ms : {0LL, 1'767'268'800'250LL, 951'782'399'999LL})
    CHECK(parse_utc_text(utc_text(instant{span{ms}})) == instant{span{ms}});
  for (const char* other : {"", "now", "2026-13-01T00:00:00.000Z", "2026-01-01T00:00:00Z", "2026-01-01T25:00:00.000Z",
                            "2026-01-01T00:00:00.000Z "})
    CHECK_FALSE(parse_utc_text(other));
}
