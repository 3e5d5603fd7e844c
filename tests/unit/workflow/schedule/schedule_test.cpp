#include "tests/support/property.hpp"
#include "workflow/schedule/schedule.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/time/time_text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace steadfast;
using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

instant schedule_at(std::string_view text) {
  return parse_moment(text).value();
}

schedule every(span length) {
  schedule s;
  s.name = "often";
  s.workflow = "w";
  s.every = length;
  return s;
}

schedule nightly() {
  schedule s;
  s.name = "nightly";
  s.workflow = "settlement";
  s.cron = "30 2 * * *";
  s.zone = "Europe/Berlin";
  return s;
}

bool is_told(const schedule& s, std::string_view part) {
  const auto all = problems(s);
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.find(part) != std::string::npos; });
}

/// What moments_due is to say, from all moments in turn.
due_moments due_one_by_one(const schedule& s, instant after, instant now) {
  due_moments d;
  d.until = after;
  for (auto m = next_moment(s, after); m && start_of(s, *m) <= now; m = next_moment(s, *m)) {
    d.until = *m;
    if (*m + s.jitter + s.catch_up >= now)
      d.served.push_back(*m);
    if (d.served.size() > s.catch_up_max)
      d.served.erase(d.served.begin());
  }
  return d;
}

} // namespace

TEST_CASE("an interval is counted from 1970, so that nothing moves it") {
  const auto s = every(15min);
  CHECK(next_moment(s, schedule_at("2026-11-26T12:07Z")) == schedule_at("2026-11-26T12:15Z"));
  CHECK(next_moment(s, schedule_at("2026-11-26T12:15Z")) == schedule_at("2026-11-26T12:30Z"));
  // Over a change of the clocks it goes on by the same steps.
  auto lisbon = s;
  lisbon.zone = "Europe/Lisbon";
  CHECK(next_moment(lisbon, schedule_at("2026-10-25T00:45Z")) == schedule_at("2026-10-25T01:00Z"));
}

TEST_CASE("jitter is the same for a name and a moment, and spreads moments over its length") {
  auto s = every(1h);
  s.jitter = 10min;
  auto other = s;
  other.name = "other";
  std::set<span> met;
  int same = 0;
  for (auto m = schedule_at("2026-01-01T00:00Z"); m < schedule_at("2026-02-01T00:00Z"); m += 1h) {
    const auto later = start_of(s, m) - m;
    REQUIRE(later >= 0ms);
    REQUIRE(later < s.jitter);
    REQUIRE(start_of(s, m) - m == later);
    same += start_of(other, m) - m == later ? 1 : 0;
    met.insert(later / 1min * 1min);
  }
  CHECK(met.size() == 10);
  CHECK(same < 5);
}

TEST_CASE("each overlap has its name, and is read by it") {
  CHECK(to_string(overlap::skip) == "skip");
  CHECK(to_string(overlap::queue) == "queue");
  CHECK(to_string(overlap::allow) == "allow");
  CHECK(to_string(overlap::cancel) == "cancel");
  for (const auto x : {overlap::skip, overlap::queue, overlap::allow, overlap::cancel})
    CHECK(parse_overlap(to_string(x)) == x);
  CHECK(to_string(overlap{0}) == "?");
  CHECK(to_string(overlap{5}) == "?");
  CHECK_FALSE(parse_overlap("replace"));
}

TEST_CASE("what is wrong with a schedule is told by its field") {
  CHECK(problems(nightly()).empty());
  CHECK(problems(every(15min)).empty());
  const auto told = [](auto change, std::string_view part) {
    auto s = nightly();
    change(s);
    INFO(part);
    CHECK(is_told(s, part));
  };
  told([](auto& s) { s.name = "a b"; }, "name must be");
  told([](auto& s) { s.workflow = ""; }, "workflow must be");
  told([](auto& s) { s.cron = ""; }, "either `cron` or `every`");
  told([](auto& s) { s.every = 1h; }, "either `cron` or `every`");
  told([](auto& s) { s.cron = "0 0 30 2 *"; }, "never comes");
  told([](auto& s) { s.cron = "0 0 30 *"; }, "five fields");
  told([](auto& s) { s.zone = "Europe/Atlantis"; }, "not a time zone");
  told([](auto& s) { s.jitter = 25h; }, "jitter must be");
  told([](auto& s) { s.catch_up = -1ms; }, "catch_up must be");
  told([](auto& s) { s.catch_up_max = 0; }, "catch_up_max must lie");
  told([](auto& s) { s.catch_up_max = 101; }, "catch_up_max must lie");
  told([](auto& s) { s.rule = overlap{9}; }, "overlap must be");
  told([](auto& s) { s.priority = std::uint8_t{10}; }, "priority must be");
  told([](auto& s) { s.payload = blob{"{"}; }, "payload is not");
  told([](auto& s) { s.payload = blob{"[1]"}, s.moment_as = "at"; }, "is no object");
  told([](auto& s) { s.payload = blob{R"({"at": 1})"}, s.moment_as = "at"; }, "that the payload has");
  auto s = every(999ms);
  CHECK(is_told(s, "every must be"));
  s = every(1h);
  s.jitter = 2h;
  CHECK(is_told(s, "jitter must be"));
}

TEST_CASE("after downtime the newest moments that are not too old are served, and the others are told") {
  auto s = every(1h);
  s.catch_up = 3h;
  s.catch_up_max = 2;
  const auto after = schedule_at("2026-11-26T00:00Z");
  CHECK(moments_due(s, after, after + 59min).served.empty());
  CHECK(moments_due(s, after, after + 59min).until == after);

  const auto some = moments_due(s, after, after + 10h + 1min);
  CHECK(some.served == std::vector{after + 9h, after + 10h});
  CHECK(some.missed_from == after + 1h);
  CHECK(some.missed_to < after + 9h);
  CHECK(some.until == after + 10h);

  s.catch_up = 30min;
  CHECK(moments_due(s, after, after + 10h + 31min).served.empty());
  CHECK(moments_due(s, after, after + 10h + 31min).missed_from == after + 1h);
  CHECK(moments_due(s, after, after + 10h + 30min).served == std::vector{after + 10h});
  // No moment comes again, whatever was missed.
  const auto none = moments_due(s, after, after + 10h + 31min);
  CHECK(next_moment(s, none.until) == after + 11h);
}

TEST_CASE("what is due after downtime is what all moments in turn say") {
  tests::holds(300, 12, [] {
    const auto choices = tests::some_choices();
    std::size_t at = 0;
    const auto choose = [&](unsigned n) { return at < choices.size() ? choices[at++] % n : 0; };
    schedule s = nightly();
    switch (choose(4)) {
      case 0: s.cron = "*/7 * * * *"; break;
      case 1: s.cron = "0 1,2,3 * * sun"; break;
      case 2: s.cron = "30 1 1 * *"; break;
      default: s = every(1min * (1 + choose(300)));
    }
    s.jitter = choose(2) == 0 ? 0min : 1min * choose(static_cast<unsigned>(s.every == 0ms ? 90 : s.every / 1min + 1));
    s.catch_up = 1min * choose(5000);
    s.catch_up_max = 1 + choose(20);
    const auto after = schedule_at("2026-03-01T00:00Z") + 1min * choose(100'000);
    const auto now = after + 1min * choose(60'000);
    const auto found = moments_due(s, after, now);
    const auto expected = due_one_by_one(s, after, now);
    RC_ASSERT(found.served == expected.served);
    // However far it has looked, the next one is the same.
    RC_ASSERT(found.until <= now || found.until == after);
    RC_ASSERT(next_moment(s, found.until) == next_moment(s, expected.until));
    const auto first = next_moment(s, after);
    const bool any_missed = expected.until != after && (expected.served.empty() || expected.served.front() != *first);
    RC_ASSERT((found.missed_from != unset) == any_missed);
  });
}

TEST_CASE("the id of a task is made of the schedule and the moment, and says both") {
  const auto m = schedule_at("2026-11-26T02:30:00Z");
  CHECK(task_id_of("nightly", m) == "nightly@2026-11-26T02:30:00Z");
  CHECK(task_id_of("nightly", m + 7ms) == "nightly@2026-11-26T02:30:00.007Z");
  CHECK(schedule_in("nightly@2026-11-26T02:30:00Z")->schedule == "nightly");
  CHECK(schedule_in("nightly@2026-11-26T02:30:00.007Z")->moment == m + 7ms);
  for (const auto* other : {"order-4711", "a@b", "@2026-11-26T02:30:00Z", "nightly@2026-11-26T02:30Z",
                            "nightly@2026-11-26T02:30:00.000Z", "nightly@2026-11-26T03:30:00+01:00"})
    CHECK_FALSE(schedule_in(other));
}

TEST_CASE("the payload may get the moment as a member") {
  const auto m = schedule_at("2026-11-26T02:30:00Z");
  auto s = nightly();
  CHECK(payload_for(s, m).view() == "{}");
  s.payload = blob{R"({"region": "south"})"};
  CHECK(payload_for(s, m).view() == s.payload.view());
  s.moment_as = "night";
  CHECK(payload_for(s, m).view() == R"({"night":"2026-11-26T02:30:00.000Z","region": "south"})");
  for (const auto* empty : {"", "{}", " { } "}) {
    s.payload = blob{empty};
    CHECK(is_json(payload_for(s, m).view()));
  }
}
