// The campaign for a lease as a value: what it asks, holds and gives up when.

#include "workflow/supervision/lease_term.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

constexpr instant began{1'000'000'000ms};
constexpr lease_terms terms{10s, 3s, 2s, true};

/// Holds the lease under epoch 1 since `began`.
lease_campaign holder() {
  lease_campaign c;
  REQUIRE(next_step(c, terms, began) == lease_step::acquire);
  on_granted(c, terms, 1, began);
  REQUIRE(c.epoch == 1);
  return c;
}

} // namespace

TEST_CASE("a campaign asks for its lease at once, and once") {
  lease_campaign c;
  CHECK(next_step(c, terms, began) == lease_step::acquire);
  CHECK(next_step(c, terms, began + 1s) == lease_step::none);
  CHECK(next_look(c, terms) == began + 3s);
}

TEST_CASE("a holder counts its time from before the request was sent and stops a margin before the end") {
  lease_campaign c;
  next_step(c, terms, began);
  on_granted(c, terms, 7, began + 5s);
  CHECK(c.epoch == 7);
  CHECK(c.hold_until == began + 8s);
}

TEST_CASE("row 48: a grant that comes after its time is over is not used") {
  lease_campaign c;
  next_step(c, terms, began);
  on_granted(c, terms, 7, began + 8s);
  CHECK(c.epoch == 0);
  CHECK(next_step(c, terms, began + 8s) == lease_step::acquire);
}

TEST_CASE("row 48: a holder whose renewal is answered late has stopped before its lease can belong to another") {
  auto c = holder();
  c.progressed = true;
  CHECK(next_step(c, terms, began + 3s) == lease_step::renew);
  CHECK(next_step(c, terms, began + 7999ms) == lease_step::none);
  CHECK(next_step(c, terms, began + 8s) == lease_step::stop);
  CHECK(c.epoch == 0);
  on_granted(c, terms, 1, began + 11s);
  CHECK(c.epoch == 0);
}

TEST_CASE("row 51: a holder whose clock drifts by one per cent has stopped before the store's clock ends its lease") {
  for (const auto percent : {99, 101}) {
    const auto c = holder();
    const auto counted = c.hold_until - began;
    const auto passed = counted * 100 / percent; // by the store's clock
    CHECK(passed + 1s < terms.ttl);
  }
}

TEST_CASE("a holder that makes progress renews and keeps its epoch") {
  auto c = holder();
  for (int i = 1; i <= 100; ++i) {
    const auto at = began + i * 3s;
    c.progressed = true;
    REQUIRE(next_look(c, terms) == at);
    REQUIRE(next_step(c, terms, at) == lease_step::renew);
    on_granted(c, terms, 1, at + 100ms);
    REQUIRE(c.epoch == 1);
    REQUIRE(c.hold_until == at + 8s);
  }
}

TEST_CASE("row 42: a holder without progress does not renew, stops by itself, and lets the others go first") {
  auto c = holder();
  CHECK(next_step(c, terms, began + 3s) == lease_step::none);
  CHECK(next_look(c, terms) == began + 8s);
  CHECK(next_step(c, terms, began + 8s) == lease_step::stop);
  CHECK(next_step(c, terms, began + 8s) == lease_step::none);
  CHECK(next_step(c, terms, began + 17'999ms) == lease_step::none);
  CHECK(next_step(c, terms, began + 18s) == lease_step::acquire);
}

TEST_CASE("progress that comes late is still in time for a renewal") {
  auto c = holder();
  CHECK(next_step(c, terms, began + 5s) == lease_step::none);
  c.progressed = true;
  CHECK(next_step(c, terms, began + 5s) == lease_step::renew);
}

TEST_CASE("a lease that needs no progress is renewed without it") {
  auto loose = terms;
  loose.needs_progress = false;
  auto c = holder();
  CHECK(next_look(c, loose) == began + 3s);
  CHECK(next_step(c, loose, began + 3s) == lease_step::renew);
}

TEST_CASE("a refused renewal ends the lease at once, a refused acquisition is asked again later") {
  auto c = holder();
  c.progressed = true;
  next_step(c, terms, began + 3s);
  CHECK(on_refused(c, terms, began + 3s));
  CHECK(c.epoch == 0);
  CHECK(next_step(c, terms, began + 3999ms) == lease_step::none);
  CHECK(next_step(c, terms, began + 4s) == lease_step::acquire);
  CHECK_FALSE(on_refused(c, terms, began + 4s));
  CHECK(next_step(c, terms, began + 5s) == lease_step::acquire);
}

TEST_CASE("a store that cannot be reached ends no lease, and is asked again soon by those who hold none") {
  auto c = holder();
  c.progressed = true;
  REQUIRE(next_step(c, terms, began + 3s) == lease_step::renew);
  on_unanswered(c, terms, began + 3s);
  CHECK(c.epoch == 1);
  CHECK(next_look(c, terms) == began + 6s);

  lease_campaign other;
  REQUIRE(next_step(other, terms, began) == lease_step::acquire);
  on_unanswered(other, terms, began);
  CHECK(next_step(other, terms, began + 999ms) == lease_step::none);
  CHECK(next_step(other, terms, began + 1s) == lease_step::acquire);
}

TEST_CASE("a request without an answer is asked again after a while") {
  lease_campaign c;
  next_step(c, terms, began);
  on_silence(c, terms, began + 2999ms);
  CHECK(next_step(c, terms, began + 2999ms) == lease_step::none);
  on_silence(c, terms, began + 3s);
  CHECK(next_step(c, terms, began + 3s) == lease_step::acquire);
}

TEST_CASE("whatever happens, a holder stops in time and the next look lies ahead") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random{seed};
    lease_campaign c;
    auto now = began;
    auto granted_from = instant{}; // when the last request that was granted had been sent
    for (unsigned i = 0; i < 100; ++i) {
      on_silence(c, terms, now);
      next_step(c, terms, now);
      REQUIRE(next_look(c, terms) > now);
      if (c.epoch != 0)
        REQUIRE(now < granted_from + terms.ttl - terms.margin);
      now += span{1 + random() % 2500};
      const auto luck = random() % 4;
      if (c.asked_at != unset && luck < 2) {
        granted_from = c.asked_at;
        on_granted(c, terms, 1 + i, now);
      } else if (c.asked_at != unset && luck == 2) {
        on_refused(c, terms, now);
      }
      c.progressed = c.progressed || random() % 2 == 0;
    }
  }
}

TEST_CASE("P20: a lease given by another clock ends a whole ttl after this one was set, whatever that one showed") {
  const auto set_at = began;
  const auto ends = [&](instant expires_at, span since_set) {
    return end_of(expires_at, 10s, {set_at + since_set, set_at});
  };
  CHECK(ends(set_at + 15s, 6s) == set_at + 15s);                // it was given by this clock
  CHECK(ends(set_at + 10s, 0s) == set_at + 10s);                // as early as it could be
  CHECK(ends(set_at - 3h, 6s) == set_at + 10s);                 // by one that was hours behind,
  CHECK(ends(set_at + 9999ms, 6s) == set_at + 10s);             // and by one that agrees
  CHECK(ends(set_at + 3h, 6s) == set_at + 10s);                 // by one that is hours ahead
  CHECK(ends(set_at + 18s, 6s) == set_at + 10s);                // and by one that is a little,
  CHECK(ends(set_at + 18s, 9s) >= set_at + 10s);                // which this one cannot tell from itself later
  CHECK(ends(unset, 6s) == unset);                              // given back
  CHECK(end_of(began + 3h, 10s, {never}) == began + 3h);        // by no clock
  CHECK(end_of(began - 1s, 10s, {began, unset}) == began - 1s); // where clocks do not change
}

TEST_CASE("a lease of others has ended when it was released or its time is over") {
  const auto store_since = began - 1h;
  CHECK(has_ended(unset, 10s, store_since, began));
  CHECK_FALSE(has_ended(began + 1ms, 10s, store_since, began));
  CHECK(has_ended(began, 10s, store_since, began));
}

TEST_CASE("row 45: leases that nobody could renew while the store was away are good for a ttl after its return") {
  const auto store_since = began;
  CHECK_FALSE(has_ended(began - 1h, 10s, store_since, began + 9999ms));
  CHECK(has_ended(began - 1h, 10s, store_since, began + 10s));
  CHECK(has_ended(unset, 10s, store_since, began)); // given back in good order
}

TEST_CASE("leases can be renewed while the store takes writes, but for one that ended while a write was waiting") {
  const auto opened = began - 1h;
  CHECK(renewable_since({opened, unset}, began, began) == opened);
  CHECK(renewable_since({opened, began - 5s}, began, began) == began - 5s);
  CHECK(renewable_since({opened, never}, unset, began) == began);
  CHECK(renewable_since({opened, unset, began - 2s}, began - 3s, began) == opened);
  CHECK(renewable_since({opened, unset, began - 2s}, began - 2s, began) == began);
  CHECK(can_be_renewed(opened, began));
  CHECK_FALSE(can_be_renewed(began, began));
}
