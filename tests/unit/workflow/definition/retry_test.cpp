#include "tests/support/property.hpp"
#include "workflow/definition/retry.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

retry_policy without_jitter() {
  retry_policy p;
  p.jitter_percent = 0;
  return p;
}

} // namespace

TEST_CASE("waits grow by the factor up to the cap") {
  auto p = without_jitter();
  p.cap = 10s;
  const auto wait = [&p](std::uint32_t tries) { return back_off(p, tries, 99); };
  CHECK(wait(1) == 1s);
  CHECK(wait(2) == 2s);
  CHECK(wait(3) == 4s);
  CHECK(wait(4) == 8s);
  CHECK(wait(5) == 10s);
  CHECK(wait(4'000'000'000) == 10s);
  CHECK(wait(0) == 1s);
}

TEST_CASE("a factor of 100 percent keeps the wait as it is, and a smaller cap still holds") {
  auto p = without_jitter();
  p.factor_percent = 100;
  CHECK(back_off(p, 4'000'000'000, 0) == 1s);
  p.cap = 1s;
  p.initial = 5s;
  CHECK(back_off(p, 1, 0) == 1s);
}

TEST_CASE("a small wait grows with a small factor") {
  auto p = without_jitter();
  p.initial = 1ms;
  p.factor_percent = 101;
  CHECK(back_off(p, 2, 0) == 2ms);
  CHECK(back_off(p, 100'000, 0) == p.cap);
}

TEST_CASE("jitter shortens a wait by no more than its share") {
  retry_policy p;
  p.jitter_percent = 20;
  CHECK(back_off(p, 1, 0) == 1s);
  CHECK(back_off(p, 1, 200) == 800ms);
  CHECK(back_off(p, 1, 201) == 1s);
  p.jitter_percent = 100;
  CHECK(back_off(p, 1, 1000) == 1ms); // never none at all
}

TEST_CASE("a wait is never above the cap, never below its share, and never falls with more tries") {
  steadfast::tests::holds(100, 100, [] {
    retry_policy p;
    p.initial = span{*rc::gen::inRange<std::int64_t>(1, 100'000)};
    p.cap = p.initial + span{*rc::gen::inRange<std::int64_t>(0, 300'000'000'000)};
    p.factor_percent = *rc::gen::inRange<std::uint32_t>(100, 10'001);
    p.jitter_percent = *rc::gen::inRange<std::uint32_t>(0, 101);
    const auto tries = *rc::gen::inRange<std::uint32_t>(1, 2000);
    const auto chance = *rc::gen::arbitrary<std::uint64_t>();
    const auto wait = back_off(p, tries, chance);
    const auto longest = back_off(p, tries, 0);
    RC_ASSERT(wait >= 1ms);
    RC_ASSERT(wait <= longest);
    RC_ASSERT(longest <= p.cap);
    RC_ASSERT(wait.count() >= longest.count() - longest.count() * p.jitter_percent / 100);
    RC_ASSERT(back_off(p, tries + 1, 0) >= longest);
  });
}

TEST_CASE("mixing spreads neighbours and depends on the order of its arguments") {
  CHECK(mixed(1, 2, 3) == mixed(1, 2, 3));
  CHECK(mixed(1, 2, 3) != mixed(3, 2, 1));
  std::set<std::uint64_t> residues;
  for (std::uint64_t i = 0; i < 1000; ++i)
    residues.insert(mixed(i, 0, 1) % 1000);
  CHECK(residues.size() > 550); // 632 are expected of chance, 1000 of counting up, few of a bad mix
  CHECK(residues.size() < 700);
}
