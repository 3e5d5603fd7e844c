// What becomes of attempts when the clock that decides about them was set after they began (promise P22).

#include "tests/support/workflow/scenario.hpp"
#include "workflow/supervision/review.hpp"
#include "workflow/task/waiting.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;
using steadfast::tests::scenario;
using steadfast::tests::start;

namespace {

definition one_step() {
  auto d = steadfast::tests::two_steps();
  d.deadline = 10'000h;
  d.steps[0].complete_by = 30s;
  d.grace = 5s;
  return d;
}

/// The clock was set when it showed this, right after the attempt of `start` began.
constexpr instant ten_hours_ahead = start + 10h;

} // namespace

TEST_CASE("row 50: an attempt of before the clock was set is over when its whole time has passed since") {
  scenario x{one_step()};
  x.take();
  const attempt_expired over{x.ref("a")};
  const auto at = [](span since) { return clock_reading{ten_hours_ahead + since, ten_hours_ahead}; };
  CHECK(review(x.t, x.d, at(29s)).empty());
  CHECK(apply(x.t, x.d, over, at(29'999ms)).result == event_status::ignored);
  CHECK(apply(x.t, x.d, over, at(30s)).result == event_status::applied);
  CHECK(review(x.t, x.d, at(30s)).size() == 2);
  CHECK(why_stuck(x.t, x.d, at(29s), 1min).empty());
  CHECK(apply(x.t, x.d, over, ten_hours_ahead).result == event_status::applied); // the same clock all the time
}

TEST_CASE("row 50: its answer counts for as long") {
  scenario x{one_step()};
  x.take();
  const attempt_succeeded done{x.ref("a"), blob{"{}"}, {}};
  CHECK(apply(x.t, x.d, done, {ten_hours_ahead + 29s, ten_hours_ahead}).result == event_status::applied);
  CHECK(apply(x.t, x.d, done, {ten_hours_ahead + 30s, ten_hours_ahead}).result == event_status::refused);
}

TEST_CASE("row 50: undo waits for it as if it had begun when the clock was set") {
  scenario x{one_step()};
  x.take();
  x.expire_round("a");
  x.must(undo_requested{});
  x.take();
  const auto set_at = x.now + 10h;
  const auto later = apply(x.t, x.d, time_passed{}, {set_at + 34s, set_at});
  CHECK(later.next.steps[0].doing == attempt_action::none);
  const auto settled = apply(x.t, x.d, time_passed{}, {set_at + 35s, set_at});
  CHECK(settled.next.steps[0].doing == attempt_action::compensate);
}

TEST_CASE("row 50: a clock that was set back leaves an attempt no more than its whole time") {
  scenario x{one_step()};
  x.take();
  const auto set_back = start - 7h;
  const clock_reading clock{set_back + 2s, set_back};
  const auto lapsed = apply(x.t, x.d, lock_lapsed{}, clock);
  const auto again = apply(lapsed.next, x.d, taken{"another"}, clock);
  REQUIRE(again.result == event_status::applied);
  CHECK(again.next.steps[0].complete_by == clock.now + 30s);
}

TEST_CASE("row 50: undo waits no longer after a clock that was set back than an attempt can act") {
  scenario x{one_step()};
  x.take();
  x.expire_round("a");
  x.must(undo_requested{});
  x.take();
  const auto set_back = x.now - 7h;
  auto t = x.t;
  carry_over(t, x.d, {set_back, set_back});
  CHECK(t.steps[0].settles_at == set_back + 35s);
}

TEST_CASE("what began under the clock, or was carried over before, stays as it is") {
  scenario x{one_step()};
  x.take();
  auto t = x.t;
  carry_over(t, x.d, {start, start - 1h});
  CHECK(t == x.t);
  carry_over(t, x.d, {ten_hours_ahead, ten_hours_ahead});
  CHECK(t.steps[0].complete_by == ten_hours_ahead + 30s);
  const auto once = t;
  carry_over(t, x.d, {ten_hours_ahead, ten_hours_ahead});
  CHECK(t == once);
}
