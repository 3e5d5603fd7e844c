#include "runtime/text/quantity.hpp"
#include "runtime/text/secret.hpp"
#include "runtime/text/time_text.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>
#include <sstream>

using namespace steadfast;
using namespace steadfast::runtime;
using std::chrono::milliseconds;

TEST_CASE("a duration is a whole number and a unit") {
  CHECK(parse_span("250ms") == milliseconds{250});
  CHECK(parse_span("5s") == milliseconds{5000});
  CHECK(parse_span("2m") == milliseconds{120'000});
  CHECK(parse_span("1h") == milliseconds{3'600'000});
  CHECK(parse_span("7d") == milliseconds{604'800'000});
  CHECK(parse_span("0s") == milliseconds{0});
}

TEST_CASE("what is not a duration is refused") {
  const auto* text = GENERATE("", "5", "s", "5 s", "-5s", "5S", "1.5s", "5s ", "5min", "99999999999999999999s",
                              "18446744073709551615d", "4000d");
  INFO(text);
  CHECK_FALSE(parse_span(text));
}

TEST_CASE("sizes are read and written with binary units") {
  CHECK(parse_size("512B") == 512);
  CHECK(parse_size("64KiB") == 65536);
  CHECK(parse_size("8GiB") == 8ULL << 30);
  CHECK_FALSE(parse_size("8GB"));
  CHECK_FALSE(parse_size("8"));
  CHECK_FALSE(parse_size("9999999TiB"));
  CHECK(size_text(1 << 20) == "1MiB");
  CHECK(size_text(1000) == "1000B");
  CHECK(size_text(0) == "0B");
}

TEST_CASE("a duration is written as it can be read again") {
  const auto ms = GENERATE(0, 1, 250, 1000, 1500, 60'000, 90'000, 3'600'000, 86'400'000, 90'000'000);
  const milliseconds s{ms};
  CHECK(parse_span(span_text(s)) == s);
  CHECK(span_text(milliseconds{90'000}) == "90s");
  CHECK(span_text(milliseconds{86'400'000}) == "1d");
}

TEST_CASE("a secret prints as stars") {
  std::ostringstream out;
  out << secret{"canary"};
  CHECK(out.str() == "***");
  CHECK(secret{"canary"}.reveal() == "canary");
}

TEST_CASE("instants are written in UTC and read back") {
  const workflow::instant t{milliseconds{1'795'242'823'179}};
  CHECK(utc_text(t) == "2026-11-21T06:33:43.179Z");
  CHECK(parse_utc(utc_text(t)) == t);
  CHECK(parse_utc("2026-11-21T06:33:43Z") == workflow::instant{milliseconds{1'795'242'823'000}});
  CHECK(parse_utc("2026-11-21T07:33:43.179+01:00") == t);
  CHECK(parse_utc("2026-11-21T06:33:43.1794321Z") == t);
  CHECK(parse_utc("9999-12-31T23:59:59.999Z") == workflow::instant_max);
  CHECK(utc_text(parse_utc("0000-01-01T00:00:00Z").value()) == "0000-01-01T00:00:00.000Z");
}

TEST_CASE("what is not an RFC 3339 text is refused") {
  const auto* text =
    GENERATE("", "now", "2026-11-21", "2026-11-21T06:33:43", "2026-13-21T06:33:43Z", "2026-02-30T06:33:43Z",
             "2026-11-21T24:33:43Z", "2026-11-21T06:33:43+0100", "2026-11-21T06:33:43Zjunk", "-026-11-21T06:33:43Z",
             "2026-11-21T06:33:43+24:00", "2026-11-21T06:33:43+01:60", "9999-12-31T23:59:60Z",
             "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01");
  INFO(text);
  CHECK_FALSE(parse_utc(text));
}

TEST_CASE("one thing is told in the singular") {
  CHECK(counted(0, "task") == "0 tasks");
  CHECK(counted(1, "task") == "1 task");
  CHECK(counted(2, "task") == "2 tasks");
}

TEST_CASE("lengths of time are shown in one or two units") {
  CHECK(rough_text(milliseconds{820}) == "820 ms");
  CHECK(rough_text(milliseconds{4250}) == "4.2 s");
  CHECK(rough_text(milliseconds{59'999}) == "59 s");
  CHECK(rough_text(milliseconds{185'000}) == "3 min 5 s");
  CHECK(rough_text(milliseconds{180'000}) == "3 min");
  CHECK(rough_text(milliseconds{7'800'000}) == "2 h 10 min");
  CHECK(rough_text(milliseconds{442'800'000}) == "5 d 3 h");
  const workflow::instant moment{milliseconds{1'000'000'000}};
  CHECK(relative_text(moment - milliseconds{185'000}, moment) == "3 min 5 s ago");
  CHECK(relative_text(moment + milliseconds{820}, moment) == "in 820 ms");
}
