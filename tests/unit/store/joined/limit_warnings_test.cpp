#include "store/joined/limit_warnings.hpp"

#include "tests/unit/store/joined/joined_support.hpp"
#include "tests/unit/store/samples.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

namespace steadfast::store::test {

TEST_CASE("what starts tasks of a workflow with a limit is warned of, where there are several partitions") {
  opened_partitions s;
  const auto warnings = [&](const std::string& about = {}) {
    return limit_warnings(*s, s->partitions().size(), about);
  };
  auto charge = delivery();
  charge.name = "charge";
  charge.limit = workflow::limit_rule{"/customer", 1};
  auto order = delivery();
  order.name = "order";
  workflow::step_definition starts;
  starts.name = "charges";
  starts.wait.emplace();
  starts.wait->what = workflow::wait_rule::kind::child;
  starts.wait->name = "charge";
  order.steps.push_back(starts);
  REQUIRE(s.one(register_definition{order}).result == write_status::applied);
  CHECK(warnings().empty()); // it has no limit as far as is known
  REQUIRE(s.one(register_definition{charge}).result == write_status::applied);
  const std::vector<std::string> of_step{
    "workflow `order`: step `charges` starts tasks of workflow `charge`, which are limited by payload:/customer: since "
    "the store has 3 partitions, all before the first `/` of the id of the first task must be the same as all before "
    "the first `/` of that key; else the task is refused"};
  CHECK(warnings() == of_step);
  CHECK(warnings("order") == of_step);
  CHECK(warnings("charge") == of_step);
  CHECK(warnings("delivery").empty());

  workflow::schedule nightly;
  nightly.name = "nightly";
  nightly.workflow = "charge";
  nightly.payload = workflow::blob{R"({"customer":"ada"})"};
  nightly.every = std::chrono::hours{24};
  const auto put = s.one(put_schedule{nightly, {}, at(1), false});
  INFO(put.why);
  REQUIRE(put.result == write_status::applied);
  CHECK(warnings().size() == 2);
  const auto of_schedule = warnings("nightly");
  REQUIRE(of_schedule.size() == 1);
  CHECK(of_schedule[0].starts_with("schedule `nightly` starts tasks of workflow `charge`"));
  CHECK(mentions(of_schedule[0], "the name of the schedule must be the same as"));

  auto ada = nightly;
  ada.name = "ada"; // its tasks are where the key is
  REQUIRE(s.one(put_schedule{ada, {}, at(1), false}).result == write_status::applied);
  CHECK(warnings("ada").empty());

  charge.version = 2;
  charge.limit.reset();
  REQUIRE(s.one(register_definition{charge}).result == write_status::applied);
  CHECK(warnings().empty());
}

} // namespace steadfast::store::test
