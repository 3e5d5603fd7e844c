#include "tests/support/workflow/scenario.hpp"

#include "workflow/supervision/review.hpp"
#include "workflow/task/invariants.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

namespace {

texts found(const scenario& x) {
  texts names;
  for (const auto& e : review(x.t, x.d, x.now, 5s))
    names.emplace_back(name_of(e));
  return names;
}

} // namespace

TEST_CASE("a task whose times have not come is well") {
  scenario x{two_steps()};
  CHECK(found(x).empty());
  x.take();
  x.now = x.at("a").complete_by - 1ms;
  CHECK(found(x).empty());
}

TEST_CASE("a passed complete-by is expired and counted, whoever should have noticed") {
  scenario x{two_steps()};
  x.take();
  x.now = x.at("a").complete_by;
  CHECK(found(x) == texts{"attempt_expired", "round_failed"});
  x.supervise();
  CHECK(x.t.failure_count == 1);
  CHECK(x.state() == "pending");
  CHECK(found(x).empty());
}

TEST_CASE("of a suspended task only the expiry is noticed") {
  scenario x{two_steps()};
  x.take();
  x.must(suspended{{"ann", ""}});
  x.now = x.at("a").complete_by;
  CHECK(found(x) == texts{"attempt_expired"});
  x.supervise();
  CHECK(x.at("a").needs_review);
  CHECK(found(x).empty());
  x.must(resumed{{"ann", ""}});
  CHECK(found(x) == texts{"round_failed"});
}

TEST_CASE("of an undo only the expiry of a compensation is counted") {
  scenario x{two_steps()};
  x.take();
  x.must(cancelled{{"ann", ""}});
  x.now = x.at("a").complete_by;
  CHECK(found(x) == texts{"attempt_expired"});
  x.supervise();
  x.wait();
  CHECK(x.at("a").doing == attempt_action::compensate);
  x.now = x.at("a").complete_by;
  CHECK(found(x) == texts{"attempt_expired", "round_failed"});
}

TEST_CASE("a passed deadline comes first") {
  auto d = two_steps();
  d.deadline = 90s;
  scenario x{d};
  x.take();
  x.now = start + 30s;
  CHECK(found(x) == texts{"deadline_passed", "attempt_expired", "round_failed"});
  x.supervise();
  CHECK(x.state() == "undoing");
  CHECK(x.t.failure_count == 0);
}

TEST_CASE("a scheduler that owes a wake-up for longer than the slack is lost") {
  scenario x{two_steps()};
  x.take();
  x.fail("a");
  x.now = x.at("a").not_before + 5s - 1ms;
  CHECK(found(x).empty());
  x.now += 1ms;
  CHECK(found(x) == texts{"lock_lapsed"});
  x.must(suspended{{"ann", ""}});
  CHECK(found(x).empty());
  x.must(resumed{{"ann", ""}});
  CHECK(found(x).empty()); // nobody has it
}

TEST_CASE("a task that has ended is well") {
  scenario x{pipeline({step_named("a")})};
  x.take();
  x.succeed("a");
  x.now += 48h;
  CHECK(found(x).empty());
}

TEST_CASE("a review that turns the task round begins no forward attempt on the way") {
  auto d = two_steps();
  d.steps.push_back(d.steps[0]);
  d.steps[2].name = "c";
  for (auto& s : d.steps) {
    s.after = texts{};
    s.retry.attempts = 2;
    s.complete_by = 30s;
  }
  d.steps[0].threshold = 1;
  d.steps[0].cool_off.count = 0;
  d.steps[0].exhausted = on_exhausted::undo;
  d.steps[2].retry.attempts = 3;
  scenario x{d};
  x.take();
  x.now += 1s;
  x.fail("c");
  x.now = x.at("a").complete_by; // nobody woke up for the second attempt of c
  REQUIRE(x.at("c").not_before < x.now);
  const auto reviewed = apply_review(x.t, x.d, x.now);
  REQUIRE(reviewed.result == event_status::applied);
  CHECK(is_undoing(reviewed.next));
  CHECK(reviewed.next.steps[2].attempt == 1);
  CHECK(reviewed.next.steps[2].doing == attempt_action::none);
  CHECK(broken_invariants(reviewed.next, x.d).empty());
}

TEST_CASE("people are told of a stuck task whether it was freed") {
  scenario x{two_steps()};
  x.take();
  auto next = x.t;
  CHECK(alert_of_stuck("nothing is due", x.t, next, x.now).text == "it was stuck: nothing is due; it goes on");
  next.locked_by.clear();
  CHECK(alert_of_stuck("nothing is due", x.t, next, x.now).text == "it was stuck: nothing is due; it was freed");
}
