#include "tests/support/property.hpp"
#include "workflow/calling/rate_limit.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

const instant some_time{std::chrono::hours{500'000}};

/// Begins calls as early as allowed and says when.
std::vector<instant> begin_calls(const rate_options& o, std::size_t count, instant now) {
  token_bucket b;
  std::vector<instant> begun;
  while (begun.size() < count) {
    now = next_call_at(b, o, now);
    b = taken_from(b, o, now);
    begun.push_back(now);
  }
  return begun;
}

} // namespace

TEST_CASE("without a rate every call may begin at once") {
  CHECK(begin_calls({0, 10}, 1000, some_time).back() == some_time);
}

TEST_CASE("an unused limit lets a burst through, then keeps the rate") {
  const auto begun = begin_calls({100, 10}, 30, some_time);
  CHECK(begun[9] == some_time);
  CHECK(begun[10] == some_time + 10ms);
  CHECK(begun[29] == some_time + 200ms);
}

TEST_CASE("a rate that does not divide the second is kept over the long run") {
  const auto begun = begin_calls({3, 1}, 3001, some_time);
  CHECK((begun.back() == some_time + 1000s));
}

TEST_CASE("a rate of several calls a millisecond is reached with the smallest burst") {
  const auto begun = begin_calls({4000, 1}, 40'001, some_time);
  CHECK((begun.back() > some_time + 9990ms));
  CHECK((begun.back() <= some_time + 10s));
}

TEST_CASE("rates and rests of any size do not overflow") {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  const rate_options o{most, most};
  token_bucket b = taken_from({}, o, some_time);
  b = taken_from(b, o, some_time + std::chrono::hours{24 * 365 * 100});
  CHECK(next_call_at(b, o, b.at) == b.at);
}

TEST_CASE("a burst of zero counts as one, so that calls can begin at all") {
  const auto begun = begin_calls({10, 0}, 3, some_time);
  CHECK(begun[0] == some_time);
  CHECK(begun[1] == some_time + 100ms);
}

TEST_CASE("no stretch of time sees more calls than its share and the burst", "[property]") {
  steadfast::tests::holds(100, 100, [] {
    const rate_options o{*rc::gen::inRange<std::uint32_t>(1, 3000), *rc::gen::inRange<std::uint32_t>(1, 50)};
    token_bucket b;
    auto now = some_time;
    std::vector<instant> begun;
    for (int i = 0; i < 150; ++i) {
      now += span{*rc::gen::inRange(0, 20)};
      const auto at = next_call_at(b, o, now);
      RC_ASSERT(at >= now);
      RC_ASSERT(at <= now + span{1000});
      if (at == now || *rc::gen::arbitrary<bool>()) {
        now = at;
        b = taken_from(b, o, now);
        begun.push_back(now);
      }
    }
    for (std::size_t from = 0; from < begun.size(); ++from)
      for (std::size_t to = from; to < begun.size(); ++to) {
        // Time goes in whole milliseconds: a call may come up to one early.
        const auto window = static_cast<std::uint64_t>((begun[to] - begun[from]).count()) + 1;
        RC_ASSERT((to - from + 1) * 1000 <= std::uint64_t{o.burst} * 1000 + window * o.per_second);
      }
  });
}
