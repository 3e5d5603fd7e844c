#include "workflow/time/time_text.hpp"
#include "workflow/time/zone.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

instant at(std::string_view text) {
  return parse_moment(text).value();
}

std::string next(std::string_view zone, span time_of_day, std::string_view now, weekdays on = weekdays::all) {
  const auto found = next_time_of_day(zone, time_of_day, on, at(now));
  return found ? utc_text(*found).substr(0, 16) : "none";
}

} // namespace

TEST_CASE("the next time of day is today or tomorrow, and never now") {
  CHECK(next("UTC", 8h, "2026-06-01T07:59:59Z") == "2026-06-01T08:00");
  CHECK(next("UTC", 8h, "2026-06-01T08:00Z") == "2026-06-02T08:00");
  CHECK(next("UTC", 0h, "2026-12-31T23:59Z") == "2027-01-01T00:00");
}

TEST_CASE("a time of day is told by the clocks of its zone, in summer too") {
  CHECK(next("Europe/Lisbon", 8h, "2026-01-10T12:00Z") == "2026-01-11T08:00");
  CHECK(next("Europe/Lisbon", 8h, "2026-07-10T12:00Z") == "2026-07-11T07:00");
  CHECK(next("Asia/Kathmandu", 8h, "2026-07-10T00:00Z") == "2026-07-10T02:15");
  CHECK(next("Pacific/Kiritimati", 8h, "2026-07-10T17:00Z") == "2026-07-10T18:00"); // there it is the 11th
  CHECK(next("America/New_York", 9h, "2026-03-07T15:00Z") == "2026-03-08T13:00");   // the clocks change that night
}

TEST_CASE("a time of day that the clocks are put forward over is the moment at which they are") {
  // Lisbon, 2026-03-29: 01:00 becomes 02:00.
  CHECK(next("Europe/Lisbon", 1h + 30min, "2026-03-28T12:00Z") == "2026-03-29T01:00");
  CHECK(next("Europe/Lisbon", 1h + 30min, "2026-03-29T01:00Z") == "2026-03-30T00:30");
  // Samoa left out the whole 30th of December 2011.
  CHECK(next("Pacific/Apia", 8h, "2011-12-29T18:30Z") == "2011-12-30T10:00");
}

TEST_CASE("a time of day that comes twice is the first one, and not once more") {
  // Lisbon, 2026-10-25: 02:00 becomes 01:00 again.
  CHECK(next("Europe/Lisbon", 1h + 30min, "2026-10-24T12:00Z") == "2026-10-25T00:30");
  CHECK(next("Europe/Lisbon", 1h + 30min, "2026-10-25T00:30Z") == "2026-10-26T01:30");
}

TEST_CASE("the next time of day may be one on certain days") {
  // 2026-06-05 is a Friday.
  CHECK(next("UTC", 9h, "2026-06-05T08:00Z", weekdays::workdays) == "2026-06-05T09:00");
  CHECK(next("UTC", 9h, "2026-06-05T10:00Z", weekdays::workdays) == "2026-06-08T09:00");
  CHECK(next("UTC", 9h, "2026-06-05T10:00Z", weekdays::friday) == "2026-06-12T09:00");
  CHECK(next("UTC", 9h, "2026-06-05T10:00Z", weekdays::monday) == "2026-06-08T09:00");
  CHECK(next("UTC", 9h, "2026-06-05T10:00Z", weekdays::sunday) == "2026-06-07T09:00");
  CHECK(next("Pacific/Auckland", 9h, "2026-06-07T20:00Z", weekdays::workdays) == "2026-06-07T21:00"); // Monday there
}

TEST_CASE("a zone is known by its name alone") {
  CHECK(is_time_zone("UTC"));
  CHECK(is_time_zone("Europe/Lisbon"));
  for (const auto* name : {"", "Lisbon", "europe/lisbon", "+01:00", "../../etc/passwd", "/etc/localtime"})
    CHECK_FALSE(is_time_zone(name));
  CHECK(next("Mars/Phobos", 8h, "2026-06-01T07:00Z") == "none");
  CHECK_FALSE(next_time_of_day("UTC", 8h, weekdays::all, instant_max));
}
