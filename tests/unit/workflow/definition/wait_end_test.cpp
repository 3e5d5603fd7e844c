#include "workflow/definition/wait_end.hpp"
#include "workflow/time/time_text.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

const auto friday = parse_moment("2026-06-05T10:00:00Z").value();

wait_rule of(wait_rule::kind what) {
  wait_rule r;
  r.what = what;
  return r;
}

std::string end(const wait_rule& r, std::string_view value) {
  const auto found = end_of(r, value, friday);
  return found.problem.empty() ? utc_text(found.at) : found.problem;
}

} // namespace

TEST_CASE("a sleep ends when it has lasted as long as it should") {
  auto r = of(wait_rule::kind::sleep);
  r.length = 2h;
  CHECK(end(r, "") == "2026-06-05T12:00:00.000Z");
}

TEST_CASE("a wait until a moment ends at that moment, also one that has passed") {
  const auto r = of(wait_rule::kind::until);
  CHECK(end(r, R"("2026-06-06T09:30:00+02:00")") == "2026-06-06T07:30:00.000Z");
  CHECK(end(r, R"("2026-06-01T00:00Z")") == "2026-06-01T00:00:00.000Z");
  for (const auto* value : {"12", "null", R"("tomorrow")", R"("2026-06-06T09:30:00")", R"("2026-02-30T00:00Z")", "{"})
    CHECK_THAT(end(r, value), Catch::Contains("and not a moment such as"));
  CHECK(end(r, "") == "has no value");
}

TEST_CASE("a wait for a time of day ends by the clocks of the zone that is found") {
  const auto r = parse_next("next workday 09:00 payload:/zone").value();
  CHECK(end(r, R"("Europe/Lisbon")") == "2026-06-08T08:00:00.000Z");
  CHECK_THAT(end(r, R"("Atlantis")"), Catch::Contains("\"Atlantis\", and not a time zone such as"));
}

TEST_CASE("the next time of day is written with a day or without") {
  for (const auto* text : {"next 08:00 Europe/Lisbon", "next workday 23:59 UTC", "next sunday 00:00 payload:/zone"}) {
    const auto r = parse_next(text);
    REQUIRE(r);
    CHECK(text_of_next(*r, r->at.literal) == text);
  }
  for (const auto* text :
       {"next 8:00 UTC", "next 24:00 UTC", "next 08:60 UTC", "next 08:00", "next UTC", "next day 08:00 UTC",
        "next  08:00 UTC", "next 08:00:00 UTC", "next ::::: UTC", "tomorrow 08:00 UTC"}) {
    INFO(text);
    CHECK_FALSE(parse_next(text));
  }
}
