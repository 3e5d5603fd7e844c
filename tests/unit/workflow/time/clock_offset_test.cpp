#include "tests/support/property.hpp"
#include "workflow/time/clock_offset.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

constexpr instant asked{1'000'000'000ms};

/// The clocks' difference as it was known when the question was asked.
constexpr clock_offset known{1h - 5ms, 1h + 5ms, asked};

} // namespace

TEST_CASE("the first answer was given at some moment between question and answer") {
  const auto o = offset_after({}, {asked, asked + 10ms, asked + 1h + 5ms});
  CHECK(o.at_least == 1h - 5ms - 1ms);      // what clocks show is cut
  CHECK(o.at_most == 1h + 5ms + 1ms + 1ms); // with what it may have drifted since
  CHECK(o.learnt_at == asked + 10ms);
}

TEST_CASE("a slow answer, which says little, changes little") {
  const auto o = offset_after(known, {asked, asked + 3s, asked + 1h + 1s});
  CHECK(o.at_least == 1h - 5ms - 60ms);
  CHECK(o.at_most == 1h + 5ms + 60ms);
}

TEST_CASE("a quick answer says more than was known") {
  const auto o = offset_after(clock_offset{0h, 2h, asked}, {asked, asked + 10ms, asked + 1h});
  CHECK(o.at_least == 1h - 11ms);
  CHECK(o.at_most == 1h + 2ms);
}

TEST_CASE("row 51: a clock that answers at once gains on the own one while the answer is on its way") {
  const auto o = offset_after({}, {asked, asked + 3s, asked + 1h});
  CHECK(o.at_most == 1h + 61ms);
}

TEST_CASE("an answer narrows one of the bounds alone") {
  const auto o = offset_after(known, {asked, asked, asked + 1h + 4ms});
  CHECK(o.at_least == 1h + 3ms);
  CHECK(o.at_most == 1h + 5ms);
  const auto wide = offset_after(known, {asked, asked + 50ms, asked + 1h + 50ms});
  CHECK(wide.at_least == 1h - 1ms);
  CHECK(wide.at_most == 1h + 6ms);
}

TEST_CASE("without an answer the bounds part as the clocks may") {
  const auto o = later(known, asked + 10s);
  CHECK(o.at_least == known.at_least - 200ms);
  CHECK(o.at_most == known.at_most + 200ms);
  CHECK(o.learnt_at == asked + 10s);
}

TEST_CASE("row 50: a clock that jumps by years is followed by the next answer") {
  for (const span jump : {span{87'600h}, span{-87'600h}}) {
    const auto o = offset_after(known, {asked, asked + 2ms, asked + jump});
    CHECK(o.at_least == jump - 3ms);
    CHECK(o.at_most == jump + 2ms);
  }
}

TEST_CASE("row 51: a clock that drifts by two per cent stays between the bounds, however slow the answers are") {
  steadfast::tests::holds(200, 100, [] {
    const auto permille = *rc::gen::inRange(-20, 21);
    const auto theirs = [&](instant own) { return own + 1h + (own - asked) * permille / 1000; };
    std::optional<clock_offset> o;
    auto now = asked;
    for (int i = 0; i < 20; ++i) {
      const auto there = span{*rc::gen::inRange(0, 3000)};
      const auto back = span{*rc::gen::inRange(0, 3000)};
      o = offset_after(o, {now, now + there + back, theirs(now + there)});
      now += there + back + span{*rc::gen::inRange(0, 60'000)};
      const auto ahead = theirs(now) - now;
      const auto bounds = later(*o, now);
      RC_ASSERT(bounds.at_least <= ahead + 1ms); // what a clock shows is cut to whole milliseconds
      RC_ASSERT(bounds.at_most >= ahead - 1ms);
    }
  });
}

TEST_CASE("row 51: a clock that follows another shows at no moment more than that one, which both show cut") {
  using std::chrono::microseconds;
  steadfast::tests::holds(500, 100, [] {
    const auto ahead = microseconds{*rc::gen::inRange(-5'000'000, 5'000'000)};
    microseconds own{*rc::gen::inRange(1'000'000'000, 1'000'001'000)};
    const auto shown = [](microseconds t) { return instant{std::chrono::floor<span>(t)}; };
    std::optional<clock_offset> o;
    for (int i = 0; i < 10; ++i) {
      const auto asked_at = shown(own);
      own += microseconds{*rc::gen::inRange(0, 2000)};
      const auto theirs = shown(own + ahead);
      own += microseconds{*rc::gen::inRange(0, 2000)};
      o = offset_after(o, {asked_at, shown(own), theirs});
      RC_ASSERT(o->at_least <= ahead);
      RC_ASSERT(o->at_most >= ahead);
      own += microseconds{*rc::gen::inRange(0, 10'000)};
      RC_ASSERT(shown(own) + o->at_least <= shown(own + ahead));
    }
  });
}

TEST_CASE("property: after an answer the bounds are no further apart than the answer's time and drift") {
  steadfast::tests::holds(200, 100, [] {
    const auto ahead = span{*rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000)};
    const auto before = span{*rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000)};
    const auto there = span{*rc::gen::inRange<std::int64_t>(0, 10'000)};
    const auto back = span{*rc::gen::inRange<std::int64_t>(0, 10'000)};
    const clock_sample s{asked, asked + there + back, asked + there + ahead};
    const auto o = offset_after(clock_offset{before, before, asked}, s);
    RC_ASSERT(o.at_most - o.at_least <= (there + back) * 51 / 50 + 3ms);
    RC_ASSERT(o.at_most >= o.at_least);
  });
}
