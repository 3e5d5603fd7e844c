// An update of a task with many steps, as it goes to another node.

#include "tests/unit/store/support.hpp"

#include "store/contract/sent_update.hpp"
#include "store/records/record.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

workflow::definition of_steps(std::size_t count) {
  workflow::definition d;
  d.name = "long";
  d.version = 1;
  for (std::size_t i = 0; i < count; ++i)
    d.steps.push_back(step_named("s" + std::to_string(i)));
  return d;
}

/// A store with a task of so many steps, and the update by which its first step succeeds.
struct first_step_done {
  opened_store store;
  update_task update;

  explicit first_step_done(std::size_t count) {
    const auto d = of_steps(count);
    store.one(register_definition{d});
    auto s = order("t");
    s.workflow = "long";
    store.one(submit_task{s, at(0)});
    const auto t = store.take();
    workflow::attempt_succeeded done;
    done.ref = {0, t.steps[0].attempt, t.lock_epoch};
    done.result = workflow::blob{"{}"};
    update = update_by(t, d, done, at(2));
    update.steps_before = t.steps;
  }

  update_task sent() const { return std::get<update_task>(decode<store::write>(encode(store::write{update}))); }
};

} // namespace

TEST_CASE("of a task with many steps those that changed are sent, and the store makes the task whole") {
  first_step_done x{3000};
  const auto sent = x.sent();
  CHECK(sent.next.steps.empty());
  CHECK(sent.steps_in_all == 3000);
  REQUIRE(sent.changed.size() == 1);
  CHECK(encode(store::write{x.update}).size() < 1000);
  CHECK(x.store.one(sent).result == write_status::applied);
  auto expected = x.update.next;
  ++expected.revision;
  CHECK(x.store->find("t") == expected);
}

TEST_CASE("a task with few steps is sent whole, as it always was") {
  for (const std::size_t count : {std::size_t{5}, sent_whole_max}) {
    first_step_done x{count};
    CHECK(x.sent().next.steps == x.update.next.steps);
    const auto with = encode(store::write{x.update});
    x.update.steps_before = {};
    CHECK(encode(store::write{x.update}) == with);
  }
}

TEST_CASE("an update whose task was not known before is sent whole") {
  first_step_done x{sent_whole_max + 1};
  x.update.steps_before = {};
  CHECK(x.sent().next.steps == x.update.next.steps);
}

TEST_CASE("steps that do not fit the task are refused, and nothing changes") {
  first_step_done x{300};
  const auto before = x.store->find("t");
  auto sent = x.sent();
  SECTION("another number of them") {
    sent.steps_in_all = 299;
  }
  SECTION("in the middle of a stretch") {
    sent.changed[0].first = 1;
  }
  SECTION("behind the last") {
    sent.changed[0].first = 304;
  }
  SECTION("too few") {
    sent.changed[0].steps = workflow::few_steps{std::vector<workflow::step>(7)};
  }
  SECTION("too many") {
    sent.changed[0].first = 296; // only four are left there
  }
  SECTION("together with whole ones") {
    sent.next.steps = x.update.next.steps;
  }
  CHECK(x.store.one(sent).result == write_status::refused);
  CHECK(x.store->find("t") == before);
}

TEST_CASE("an update in part that comes late is stale, as a whole one is") {
  first_step_done x{300};
  const auto sent = x.sent();
  CHECK(x.store.one(sent).result == write_status::applied);
  CHECK(x.store.one(sent).result == write_status::stale_lock);
}
