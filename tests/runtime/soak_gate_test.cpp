#include "tests/soak/gate.hpp"

#include <catch2/catch.hpp>

namespace {

/// Ten minutes, a look every three seconds: a value with a ripple, growing by so much a minute, with a value far off
/// now and then.
soak::course ten_minutes(double value, double growth) {
  soak::course c;
  for (int i = 0; i < 200; ++i) {
    const double minute = i / 20.0;
    const double ripple = (i * 7 % 11 - 5) * value / 1000;
    c.emplace_back(minute, i % 40 == 39 ? 3 * value : value + growth * minute + ripple);
  }
  return c;
}

} // namespace

TEST_CASE("a gate of the soak sees what grows, not a ripple, a fall or a few values far off") {
  const soak::gate memory{"memory", "KiB", 0.5, true};
  CHECK(soak::gate_result_of(memory, ten_minutes(60'000, 0)).passed);
  CHECK(soak::gate_result_of(memory, ten_minutes(60'000, -900)).passed);
  CHECK(soak::gate_result_of(memory, ten_minutes(60'000, 240)).passed);       // 0.4 %
  CHECK_FALSE(soak::gate_result_of(memory, ten_minutes(60'000, 480)).passed); // 0.8 %
  CHECK(soak::gate_result_of(memory, ten_minutes(60'000, 480)).growth == Approx(0.8).margin(0.05));

  const soak::gate descriptors{"descriptors", "", 0.1, false};
  soak::course leak;
  for (int i = 0; i < 200; ++i)
    leak.emplace_back(i / 20.0, 40 + i / 80); // one every four minutes
  CHECK_FALSE(soak::gate_result_of(descriptors, leak).passed);
  CHECK(soak::gate_result_of(descriptors, ten_minutes(40, 0)).passed);
  CHECK_FALSE(soak::gate_result_of(descriptors, {}).passed); // nothing was seen
  CHECK_FALSE(soak::gate_result_of(memory, {{0, 0}, {1, 0}, {2, 0}, {3, 9}, {4, 99}}).passed);
}
