#include "tests/support/property.hpp"
#include "workflow/calling/circuit.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

const instant noon{std::chrono::hours{12}};
const circuit_options three_failures{3, span{5000}, 1};

/// A call that begins and ends at the same moment.
circuit called(const circuit& c, const circuit_options& o, call_outcome outcome, instant now) {
  const auto during = begun(c, now);
  return after(during, o, outcome, during.period, now);
}

circuit open_circuit(const circuit_options& o) {
  circuit c;
  for (std::uint32_t i = 0; i < o.failures; ++i)
    c = called(c, o, call_outcome::failed, noon);
  return c;
}

} // namespace

TEST_CASE("a circuit opens after so many failures in a row") {
  circuit c;
  c = called(c, three_failures, call_outcome::failed, noon);
  c = called(c, three_failures, call_outcome::failed, noon);
  CHECK(c.state == circuit_state::closed);
  c = called(c, three_failures, call_outcome::failed, noon);
  CHECK(c.state == circuit_state::open);
  CHECK(c.open_until == noon + 5s);
  CHECK_FALSE(may_call(c, noon + 4999ms));
}

TEST_CASE("an answer between failures starts the count anew") {
  circuit c;
  for (int i = 0; i < 10; ++i) {
    c = called(c, three_failures, call_outcome::failed, noon);
    c = called(c, three_failures, call_outcome::failed, noon);
    c = called(c, three_failures, call_outcome::answered, noon);
  }
  CHECK(c.state == circuit_state::closed);
}

TEST_CASE("a withdrawn call neither counts as a failure nor clears the count") {
  circuit c;
  c = called(c, three_failures, call_outcome::failed, noon);
  c = called(c, three_failures, call_outcome::failed, noon);
  c = called(c, three_failures, call_outcome::withdrawn, noon);
  CHECK(c.state == circuit_state::closed);
  c = called(c, three_failures, call_outcome::failed, noon);
  CHECK(c.state == circuit_state::open);
}

TEST_CASE("with zero failures allowed for, a circuit never opens") {
  const circuit_options never_opens{0, span{5000}, 1};
  circuit c;
  for (int i = 0; i < 1000; ++i)
    c = called(c, never_opens, call_outcome::failed, noon);
  CHECK(c.state == circuit_state::closed);
}

TEST_CASE("a circuit whose time is up lets one trial through at a time") {
  auto c = open_circuit(three_failures);
  const auto later = noon + 5s;
  CHECK(state_at(c, later) == circuit_state::half_open);
  REQUIRE(may_call(c, later));
  c = begun(c, later);
  CHECK_FALSE(may_call(c, later));
  CHECK_FALSE(may_call(c, later + 1h));
  SECTION("and closes when it is answered") {
    c = after(c, three_failures, call_outcome::answered, c.period, later);
    CHECK(c.state == circuit_state::closed);
    CHECK(c.failures == 0);
  }
  SECTION("and opens for as long again when it fails") {
    c = after(c, three_failures, call_outcome::failed, c.period, later + 1s);
    CHECK(c.state == circuit_state::open);
    CHECK(c.open_until == later + 6s);
  }
  SECTION("and lets the next one through when it is withdrawn") {
    c = after(c, three_failures, call_outcome::withdrawn, c.period, later);
    CHECK(c.state == circuit_state::half_open);
    CHECK(may_call(c, later));
  }
}

TEST_CASE("a half-open circuit closes only after as many successes as it asks for") {
  const circuit_options two_trials{3, span{5000}, 2};
  auto c = open_circuit(two_trials);
  c = called(c, two_trials, call_outcome::answered, noon + 5s);
  CHECK(c.state == circuit_state::half_open);
  SECTION("in a row") {
    c = called(c, two_trials, call_outcome::answered, noon + 5s);
    CHECK(c.state == circuit_state::closed);
  }
  SECTION("and opens when the second fails") {
    c = called(c, two_trials, call_outcome::failed, noon + 5s);
    CHECK(c.state == circuit_state::open);
    c = called(c, two_trials, call_outcome::answered, noon + 10s);
    CHECK(c.state == circuit_state::half_open);
  }
}

TEST_CASE("a call counts only in the period in which it began") {
  circuit c;
  const auto early = begun(c, noon).period;
  c = open_circuit(three_failures);
  CHECK(after(c, three_failures, call_outcome::answered, early, noon) == c);
  c = begun(c, noon + 5s);
  CHECK(after(c, three_failures, call_outcome::failed, early, noon + 5s) == c);
  c = after(c, three_failures, call_outcome::answered, c.period, noon + 5s);
  CHECK(after(c, three_failures, call_outcome::failed, early, noon + 5s) == c);
}

TEST_CASE("whatever happens, a circuit keeps its promises", "[property]") {
  steadfast::tests::holds(100, 100, [] {
    const circuit_options o{*rc::gen::inRange<std::uint32_t>(1, 5), span{*rc::gen::inRange(1, 2000)},
                            *rc::gen::inRange<std::uint32_t>(1, 4)};
    circuit c;
    auto now = noon;
    std::vector<std::uint64_t> under_way;
    for (int i = 0; i < 200; ++i) {
      now += span{*rc::gen::inRange(0, 500)};
      const auto before = c;
      if (may_call(c, now)) {
        RC_ASSERT(before.state == circuit_state::closed || now >= before.open_until);
        c = begun(c, now);
        under_way.push_back(c.period);
        RC_ASSERT(c.state == circuit_state::closed || !may_call(c, now));
      }
      if (!under_way.empty() && *rc::gen::arbitrary<bool>()) {
        const auto which = *rc::gen::inRange<std::size_t>(0, under_way.size());
        const auto outcome = *rc::gen::element(call_outcome::answered, call_outcome::failed, call_outcome::withdrawn);
        c = after(c, o, outcome, under_way[which], now);
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
        RC_ASSERT(c.period >= before.period);
      }
      RC_ASSERT(c.state != circuit_state::open || c.open_until <= now + o.open_for);
      RC_ASSERT(c.failures < o.failures);
      RC_ASSERT(c.successes < o.trials);
      // With no call under way there is always a moment from which calls are let through: it cannot lock up.
      if (under_way.empty())
        RC_ASSERT(may_call(c, now + o.open_for));
    }
  });
}

TEST_CASE("a circuit that a person opened stays open until a person closes it") {
  circuit c;
  c = called(c, three_failures, call_outcome::failed, noon);
  const auto during = begun(c, noon);
  c = held_open(during);
  CHECK_FALSE(may_call(c, noon));
  CHECK_FALSE(may_call(c, noon + 8760h));
  CHECK(after(c, three_failures, call_outcome::answered, during.period, noon) == c); // began before
  c = closed_anew(c);
  CHECK(may_call(c, noon));
  CHECK(c.failures == 0);
  CHECK(c.period > during.period);
}
