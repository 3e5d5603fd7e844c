#include "tests/support/property.hpp"
#include "workflow/schedule/cron.hpp"
#include "workflow/time/time_text.hpp"
#include "workflow/time/zone.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <optional>
#include <vector>

using namespace steadfast;
using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

instant cron_at(std::string_view text) {
  return parse_moment(text).value();
}

/// The first `count` moments, without seconds.
std::vector<std::string> moments(std::string_view text, std::string_view zone, std::string_view after,
                                 std::size_t count) {
  const auto c = read_cron(text).rule.value();
  std::vector<std::string> found;
  for (auto t = next_moment(c, zone, cron_at(after)); t && found.size() < count; t = next_moment(c, zone, *t))
    found.push_back(utc_text(*t).substr(0, 16));
  return found;
}

using texts = std::vector<std::string>;

/// What the clocks of the zone show at a moment.
struct shown_time {
  unsigned minute = 0;
  unsigned hour = 0;
  unsigned day = 0;
  unsigned month = 0;
  unsigned weekday = 0;
};
shown_time taken_apart(instant shown) {
  using namespace std::chrono;
  const auto day = floor<days>(shown);
  const year_month_day date{day};
  const auto in_day = floor<minutes>(shown - day).count();
  return {static_cast<unsigned>(in_day % 60), static_cast<unsigned>(in_day / 60), static_cast<unsigned>(date.day()),
          static_cast<unsigned>(date.month()), weekday{day}.c_encoding()};
}

bool matches(const cron& c, instant shown) {
  const auto t = taken_apart(shown);
  const auto has = [](std::uint64_t bits, unsigned at) { return (bits >> at & 1) == 1; };
  const bool on = c.either_day_counts ? has(c.days, t.day) || has(c.weekdays, t.weekday)
                                      : has(c.days, t.day) && has(c.weekdays, t.weekday);
  return has(c.minutes, t.minute) && has(c.hours, t.hour) && has(c.months, t.month) && on;
}

/// Goes through all minutes, and knows of zones only what the clocks show in each: of those that it has met before, or
/// that were left out, it decides as the contract says.
std::vector<instant> minute_by_minute(const cron& c, std::string_view zone, instant from, instant to) {
  std::vector<instant> found;
  instant latest_shown = unset; // of all minutes so far: what is shown again is not later
  for (auto t = from - 26h; t < to; t += 1min) {
    const auto shown = t + stretch_at(zone, t)->offset;
    bool comes = matches(c, shown) && (c.any_hour || shown > latest_shown);
    if (!c.any_hour && latest_shown != unset)
      for (auto left_out = latest_shown + 1min; left_out < shown; left_out += 1min)
        comes = comes || matches(c, left_out);
    latest_shown = std::max(latest_shown, shown);
    if (comes && t > from)
      found.push_back(t);
  }
  return found;
}

std::string some_field(const std::vector<std::uint32_t>& choices, std::size_t& at, unsigned first, unsigned last) {
  const auto choose = [&](unsigned n) { return at < choices.size() ? choices[at++] % n : 0; };
  const auto value = [&] { return first + choose(last - first + 1); };
  switch (choose(5)) {
    case 0: return std::to_string(value());
    case 1: return "*/" + std::to_string(1 + choose(last));
    case 2: {
      const auto low = value();
      const auto high = low + choose(last - low + 1);
      return std::to_string(low) + "-" + std::to_string(high);
    }
    case 3: return std::to_string(value()) + "," + std::to_string(value());
    default: return "*";
  }
}

} // namespace

TEST_CASE("a cron expression has five fields of lists, ranges, steps and names") {
  CHECK(moments("30 2 * * *", "UTC", "2026-11-26T02:30Z", 2) == texts{"2026-11-27T02:30", "2026-11-28T02:30"});
  CHECK(moments("*/20 8-9 * * *", "UTC", "2026-11-26T08:00Z", 6)
        == texts{"2026-11-26T08:20", "2026-11-26T08:40", "2026-11-26T09:00", "2026-11-26T09:20", "2026-11-26T09:40",
                 "2026-11-27T08:00"});
  CHECK(moments("0 12 * Jan,jul MON-fri", "UTC", "2026-11-26T00:00Z", 2)
        == texts{"2027-01-01T12:00", "2027-01-04T12:00"});
  CHECK(moments("5-59/25 0 1 * *", "UTC", "2026-11-26T00:00Z", 3)
        == texts{"2026-12-01T00:05", "2026-12-01T00:30", "2026-12-01T00:55"});
  CHECK(moments("0 0 * * 7", "UTC", "2026-11-26T00:00Z", 1) == texts{"2026-11-29T00:00"});
  CHECK(moments("0 0 * * 5-7", "UTC", "2026-11-26T00:00Z", 4)
        == texts{"2026-11-27T00:00", "2026-11-28T00:00", "2026-11-29T00:00", "2026-12-04T00:00"});
}

TEST_CASE("a word stands for the fields of a cron expression") {
  CHECK(moments("@hourly", "UTC", "2026-11-26T00:10Z", 1) == texts{"2026-11-26T01:00"});
  CHECK(moments("@daily", "UTC", "2026-11-26T00:10Z", 1) == texts{"2026-11-27T00:00"});
  CHECK(moments("@weekly", "UTC", "2026-11-26T00:10Z", 1) == texts{"2026-11-29T00:00"});
  CHECK(moments("@monthly", "UTC", "2026-11-26T00:10Z", 1) == texts{"2026-12-01T00:00"});
  CHECK(moments("@yearly", "UTC", "2026-11-26T00:10Z", 1) == texts{"2027-01-01T00:00"});
  CHECK(read_cron("@annually").rule == read_cron("@yearly").rule);
  CHECK(read_cron("@midnight").rule == read_cron("@daily").rule);
}

TEST_CASE("one of two fields of days is enough if both are named, and both must match if one begins with a star") {
  // Friday the 13th of November 2026.
  CHECK(moments("0 0 13 * fri", "UTC", "2026-11-10T00:00Z", 3)
        == texts{"2026-11-13T00:00", "2026-11-20T00:00", "2026-11-27T00:00"});
  CHECK(moments("0 0 13 * *", "UTC", "2026-11-10T00:00Z", 2) == texts{"2026-11-13T00:00", "2026-12-13T00:00"});
  CHECK(moments("0 0 */2 * fri", "UTC", "2026-11-10T00:00Z", 2) == texts{"2026-11-13T00:00", "2026-11-27T00:00"});
  CHECK(moments("0 0 29 2 */7", "UTC", "2026-11-10T00:00Z", 1) == texts{"2032-02-29T00:00"}); // Sunday
}

TEST_CASE("a cron expression that is none is refused with the field") {
  const auto wrong = [](std::string_view text) { return read_cron(text).wrong; };
  CHECK(wrong("30 2 * *").starts_with("a cron expression has five fields"));
  CHECK(wrong("@reboot").starts_with("a cron expression has five fields"));
  CHECK(wrong("60 2 * * *").starts_with("the minute of a cron expression"));
  CHECK(wrong("0 24 * * *").starts_with("the hour of"));
  CHECK(wrong("0 0 0 * *").starts_with("the day of the month of"));
  CHECK(wrong("0 0 * 13 *").starts_with("the month of"));
  CHECK(wrong("0 0 * * 8").starts_with("the day of the week of"));
  CHECK(wrong("0 0 * * fri-mon").ends_with("not `fri-mon`"));
  for (const auto* text : {"*/0 * * * *", "5/10 * * * *", "1-2-3 * * * *", ", * * * *", "* * * * mo", "-1 * * * *",
                           "* * L * *", "1, * * * *", "*/61 * * * *", "1.5 * * * *"}) {
    INFO(text);
    CHECK_FALSE(read_cron(text).rule);
    CHECK_FALSE(read_cron(text).wrong.empty());
  }
}

TEST_CASE("of an hour that is named a moment is at the change when the clocks are put forward over it, and once") {
  // Lisbon, 2026-03-29: 01:00 becomes 02:00.
  CHECK(moments("30 1 * * *", "Europe/Lisbon", "2026-03-28T12:00Z", 2)
        == texts{"2026-03-29T01:00", "2026-03-30T00:30"});
  CHECK(moments("*/20 1-2 * * *", "Europe/Lisbon", "2026-03-29T00:00Z", 4)
        == texts{"2026-03-29T01:00", "2026-03-29T01:20", "2026-03-29T01:40", "2026-03-30T00:00"});
  CHECK(moments("0 8 30 12 *", "Pacific/Apia", "2011-12-28T00:00Z", 1) == texts{"2011-12-30T10:00"}); // no such day
}

TEST_CASE("of an hour that comes twice a moment is in the first, and with a star in both") {
  // Lisbon, 2026-10-25: 02:00 becomes 01:00 again.
  CHECK(moments("30 1 * * *", "Europe/Lisbon", "2026-10-24T12:00Z", 2)
        == texts{"2026-10-25T00:30", "2026-10-26T01:30"});
  CHECK(moments("30 * * * *", "Europe/Lisbon", "2026-10-24T23:00Z", 4)
        == texts{"2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"});
  CHECK(moments("30 * * * *", "Europe/Lisbon", "2026-03-29T00:00Z", 2)
        == texts{"2026-03-29T00:30", "2026-03-29T01:30"}); // none is made up for the hour that is left out
}

TEST_CASE("moments are those that a minute by minute search finds, over years with changes of the clocks") {
  const std::array<std::string_view, 8> zones{"UTC",          "Europe/Lisbon",       "America/New_York",
                                              "Pacific/Apia", "Australia/Lord_Howe", "America/Sao_Paulo",
                                              "Asia/Kolkata", "Africa/Casablanca"};
  tests::holds(80, 20, [&zones] {
    const auto choices = tests::some_choices();
    std::size_t at = 0;
    const auto choose = [&](unsigned n) { return at < choices.size() ? choices[at++] % n : 0; };
    const auto zone = zones[choose(zones.size())];
    auto text = some_field(choices, at, 0, 59) + " " + some_field(choices, at, 0, 23) + " "
                + some_field(choices, at, 1, 31) + " " + some_field(choices, at, 1, 12) + " "
                + some_field(choices, at, 0, 7);
    const auto hour = choose(4); // of those that changes meet
    switch (choose(4)) {
      case 0: text = std::to_string(choose(60)) + " " + std::to_string(hour) + " * * *"; break;
      case 1: text = "*/15 " + std::to_string(hour) + "-" + std::to_string(hour + choose(3)) + " * * *"; break;
      default: break;
    }
    const auto c = read_cron(text).rule;
    RC_ASSERT(c.has_value());
    const auto from = cron_at("2008-01-01T00:00Z") + choose(16 * 12) * std::chrono::days{30} + choose(1440) * 1min;
    const auto to = from + std::chrono::days{200};
    const auto expected = minute_by_minute(*c, zone, from, to);
    std::vector<instant> found;
    for (auto t = next_moment(*c, zone, from); t && *t < to; t = next_moment(*c, zone, *t))
      found.push_back(*t);
    INFO(text << " in " << zone << " from " << utc_text(from));
    RC_ASSERT(found == expected);
  });
}
