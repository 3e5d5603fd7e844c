#include "workflow/calling/queue_time.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

constexpr instant midday{1'767'268'800'000ms};

} // namespace

TEST_CASE("an order waits as long as those before it take, by calls at a time and by rate") {
  CHECK(expected_wait(0, {2'000'000, 4, 0}) == 0ms);
  CHECK(expected_wait(10, {2'000'000, 4, 0}) == 5s);
  CHECK(expected_wait(10, {0, 4, 0}) == 0ms);
  CHECK(expected_wait(10, {2'000'000, 4, 1}) == 10s);
  CHECK(expected_wait(~std::uint64_t{0}, {~std::uint64_t{0} >> 1, 1, 0}) > 1h); // and no number overflows
}

TEST_CASE("the last moment to begin leaves time for a call, and a tenth for the word that comes back") {
  const working_pace of_a_second{1'000'000, 1, 0};
  CHECK(begins_at_latest(midday, midday + 5s, of_a_second) == midday + 4s);
  CHECK(begins_at_latest(midday, midday + 30s, of_a_second) == midday + 27s);
  CHECK(begins_at_latest(midday, midday + 30s, {}) == midday + 27s);
  CHECK(begins_at_latest(midday, midday + 500ms, of_a_second) == midday - 500ms);
}
