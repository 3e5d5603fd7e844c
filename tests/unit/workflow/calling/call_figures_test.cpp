#include "tests/support/property.hpp"
#include "workflow/calling/call_figures.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

const instant midnight_of_calls{std::chrono::hours{12}};

} // namespace

TEST_CASE("calls of the last five minutes count, older ones do not") {
  call_figures f;
  f.count(call_end::succeeded, 10ms, midnight_of_calls);
  f.count(call_end::refused, 10ms, midnight_of_calls + 1min);
  f.count(call_end::failed, 10ms, midnight_of_calls + 4min);
  auto s = f.of_late(midnight_of_calls + 4min);
  CHECK(s.succeeded == 1);
  CHECK(s.refused == 1);
  CHECK(s.failed == 1);
  s = f.of_late(midnight_of_calls + 5min);
  CHECK(s.succeeded == 0);
  CHECK(s.refused == 1);
  f.count(call_end::succeeded, 10ms, midnight_of_calls + 5min);
  CHECK(f.of_late(midnight_of_calls + 5min).succeeded == 1);
  CHECK(f.of_late(midnight_of_calls + 2h).succeeded == 0);
  CHECK(f.of_late(midnight_of_calls + 2h).p99 == 0ms);
}

TEST_CASE("the time that half and nearly all of the calls took is told, at most a quarter too high") {
  steadfast::tests::holds(100, 100, [] {
    auto took = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1'000'000)));
    call_figures f;
    for (const auto t : took)
      f.count(call_end::succeeded, span{t}, midnight_of_calls);
    std::sort(took.begin(), took.end());
    const auto at = [&](std::size_t percent) { return took.at((took.size() * percent + 99) / 100 - 1); };
    const auto s = f.of_late(midnight_of_calls);
    for (const auto& [told, real] : {std::pair{s.p50, at(50)}, std::pair{s.p99, at(99)}}) {
      RC_ASSERT(told.count() >= real);
      RC_ASSERT(told.count() <= real + real / 4);
    }
  });
}

TEST_CASE("a call that takes days, or no time, is counted too") {
  call_figures f;
  f.count(call_end::failed, std::chrono::hours{50}, midnight_of_calls);
  f.count(call_end::failed, span{-5}, midnight_of_calls);
  CHECK(f.of_late(midnight_of_calls).failed == 2);
  CHECK(f.of_late(midnight_of_calls).p99 >= 30min);
  CHECK(f.of_late(midnight_of_calls).p50 == 0ms);
}
