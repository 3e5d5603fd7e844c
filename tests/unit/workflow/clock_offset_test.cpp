#include "tests/support/property.hpp"
#include "workflow/clock_offset.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

constexpr instant asked{1'000'000'000ms};

} // namespace

TEST_CASE("the first answer is taken as given half-way between question and answer") {
  CHECK(offset_after({}, {asked, asked + 10ms, asked + 1h + 5ms}) == 1h);
}

TEST_CASE("an answer that agrees with what is known changes nothing") {
  CHECK(offset_after(1h, {asked, asked + 10ms, asked + 1h + 1ms}) == 1h);
  CHECK(offset_after(1h, {asked, asked + 30s, asked + 1h + 29s}) == 1h);
}

TEST_CASE("one that does not moves it no further than it proves") {
  CHECK(offset_after(1h, {asked, asked + 10ms, asked + 1h + 30ms}) == 1h + 20ms);
  CHECK(offset_after(1h, {asked, asked + 10ms, asked + 1h - 30ms}) == 1h - 30ms);
}

TEST_CASE("row 50: a clock that jumps by years is followed by the next answer") {
  CHECK(offset_after(0ms, {asked, asked + 2ms, asked + 87'600h}) >= 87'600h - 2ms);
  CHECK(offset_after(0ms, {asked, asked + 2ms, asked - 87'600h}) <= -87'600h);
}

TEST_CASE("row 51: a clock that drifts by one per cent is followed as closely as it is asked") {
  constexpr span period = 2s;
  constexpr span took = 10ms;
  std::optional<span> known;
  for (int i = 0; i < 10'000; ++i) {
    const auto passed = i * period;
    const auto theirs = asked + passed * 101 / 100;
    if (known)
      REQUIRE(std::chrono::abs(*known - (theirs - (asked + passed))) <= took + period / 100);
    known = offset_after(known, {asked + passed, asked + passed + took, theirs});
  }
}

TEST_CASE("property: after an answer the error is at most the time that the answer took") {
  steadfast::tests::holds(200, 100, [] {
    const auto ahead = span{*rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000)};
    const auto known = span{*rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000)};
    const auto there = span{*rc::gen::inRange<std::int64_t>(0, 10'000)};
    const auto back = span{*rc::gen::inRange<std::int64_t>(0, 10'000)};
    const clock_sample s{asked, asked + there + back, asked + there + ahead};
    const auto error = offset_after(known, s) - ahead;
    RC_ASSERT(error <= there + back);
    RC_ASSERT(error >= -(there + back));
  });
}
