// Where notifications for webhooks wait, so that each goes out once and those of one task in their order.

#include "store/verbs/decide_outward.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

incident_turn turn_of(std::uint32_t times, bool is_over) {
  incident_turn x;
  x.what.number = 4;
  x.what.times = times;
  x.what.tasks = 2;
  x.what.tasks_ever = 9;
  x.what.last_at = at(1);
  x.what.closed_at = at(2);
  x.is_over = is_over;
  return x;
}

} // namespace

TEST_CASE("the notifications of a task have one lane, in the order of its changes, its end after its alerts") {
  const auto first = place_of_alert(70, 7, 3, 0);
  CHECK(first.lane == 7);
  CHECK(first < place_of_alert(71, 7, 3, 1));
  CHECK(place_of_alert(71, 7, 3, alerts_in_lane - 1) < place_of_end(7, 3));
  CHECK(place_of_end(7, 3) < place_of_alert(72, 7, 4, 0));
}

TEST_CASE("an alert about no task, or one too many of a change, has a lane of its own") {
  const auto own = place_of_alert(70);
  CHECK(place_of_alert(70, 7, 3, alerts_in_lane) == own);
  CHECK(own.lane != place_of_alert(71).lane);
  CHECK(own.lane != place_of_end(70, 1).lane);
  CHECK(own.lane != place_of(turn_of(70, false)).lane);
}

TEST_CASE("an incident has one lane, in which its ends and its next beginnings take turns") {
  const auto begun = place_of(turn_of(1, false));
  const auto over = place_of(turn_of(1, true));
  CHECK(begun.lane == over.lane);
  CHECK(begun < over);
  CHECK(over < place_of(turn_of(2, false)));
  auto other = turn_of(1, false);
  other.what.number = 5;
  CHECK(place_of(other).lane != begun.lane);
}

TEST_CASE("an incident that begins is told with the tasks that it affects, and one that is over with all there were") {
  const auto begun = told_of(turn_of(1, false));
  const auto over = told_of(turn_of(1, true));
  CHECK(begun.at == at(1));
  CHECK_THAT(begun.body, Catch::Contains("\"tasks\":2"));
  CHECK(over.at == at(2));
  CHECK_THAT(over.body, Catch::Contains("\"tasks\":9"));
  CHECK(begun.id != over.id); // by which receivers know a repetition
  CHECK(begun.id == told_of(turn_of(1, false)).id);
  const auto n = notice_of(over, 3);
  CHECK(n.sequence == 3);
  CHECK(n.kind == workflow::notice_kind::outward);
  CHECK(n.text == over.body);
  CHECK(n.at == at(2));
}
