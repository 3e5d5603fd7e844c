#include "tests/support/property.hpp"
#include "workflow/calling/next_try.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

const instant at_noon{std::chrono::hours{12}};
const retry_policy three_tries{3, span{100}, 200, span{1000}, 0};

} // namespace

TEST_CASE("a failed try is followed by another after the back-off") {
  CHECK(next_try(three_tries, {1, 10ms, 0ms}, 0, at_noon, at_noon + 10s) == at_noon + 100ms);
  CHECK(next_try(three_tries, {2, 10ms, 0ms}, 0, at_noon, at_noon + 10s) == at_noon + 200ms);
}

TEST_CASE("no try follows the last") {
  CHECK(next_try(three_tries, {3, 10ms, 0ms}, 0, at_noon, at_noon + 10s) == std::nullopt);
}

TEST_CASE("a service that asks for a longer wait is obeyed") {
  CHECK(next_try(three_tries, {1, 10ms, 2s}, 0, at_noon, at_noon + 10s) == at_noon + 2s);
  CHECK(next_try(three_tries, {1, 10ms, 10ms}, 0, at_noon, at_noon + 10s) == at_noon + 100ms);
}

TEST_CASE("a try that could not end in time is not begun") {
  CHECK(next_try(three_tries, {1, 10ms, 0ms}, 0, at_noon, at_noon + 100ms) == std::nullopt);
  CHECK(next_try(three_tries, {1, 10ms, 0ms}, 0, at_noon, at_noon + 109ms) == std::nullopt);
  CHECK(next_try(three_tries, {1, 10ms, 0ms}, 0, at_noon, at_noon + 110ms) == at_noon + 100ms);
  CHECK(next_try(three_tries, {1, 0ms, 0ms}, 0, at_noon, at_noon + 100ms) == std::nullopt);
  CHECK(next_try(three_tries, {1, 10ms, 0ms}, 0, at_noon, at_noon) == std::nullopt);
  CHECK(next_try(three_tries, {1, 10ms, 0ms}, 0, at_noon, at_noon - 1s) == std::nullopt);
}

TEST_CASE("a wait without measure is answered with no try, not with an overflow") {
  CHECK(next_try(three_tries, {1, 10ms, span::max()}, 0, at_noon, at_noon + 10s) == std::nullopt);
  CHECK(next_try(three_tries, {1, span::max(), span::max()}, 0, at_noon, never) == std::nullopt);
}

TEST_CASE("the next try is later than now, not before the wait asked for, and ends in time", "[property]") {
  steadfast::tests::holds(100, 100, [] {
    retry_policy policy{*rc::gen::inRange<std::uint32_t>(1, 10), span{*rc::gen::inRange(1, 5000)},
                        *rc::gen::inRange<std::uint32_t>(100, 400), span{*rc::gen::inRange(1, 60'000)},
                        *rc::gen::inRange<std::uint32_t>(0, 101)};
    const failed_try last{*rc::gen::inRange<std::uint32_t>(1, 12), span{*rc::gen::inRange(0, 10'000)},
                          span{*rc::gen::inRange(0, 10'000)}};
    const auto complete_by = at_noon + span{*rc::gen::inRange(-1000, 100'000)};
    const auto at = next_try(policy, last, *rc::gen::arbitrary<std::uint64_t>(), at_noon, complete_by);
    if (!at)
      return;
    RC_ASSERT(last.tries < policy.attempts);
    RC_ASSERT(*at > at_noon);
    RC_ASSERT(*at >= at_noon + last.retry_after);
    RC_ASSERT(*at + last.took <= complete_by);
    RC_ASSERT(*at < complete_by);
  });
}
