#include "tests/support/scenario.hpp"

#include "workflow/review.hpp"

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
