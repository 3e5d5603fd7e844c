// How the tasks of each workflow end is kept in the store, so that what is usual is known after a restart too.

#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

void end_well(opened_store& store, const std::string& id) {
  store.submit(id);
  REQUIRE(store.one(success_of(store.take(), 0)).result == write_status::applied);
  REQUIRE(store.one(success_of(*store->find(id), 1)).result == write_status::applied);
  REQUIRE(store->find(id)->state == workflow::process_state::processed);
}

void refuse(opened_store& store, const std::string& id) {
  store.submit(id);
  const auto t = store.take();
  workflow::attempt_failed e;
  e.ref = {0, t.steps[0].attempt, t.lock_epoch};
  e.permanent = true;
  e.maybe_done = false;
  e.unsettled = false;
  e.why = "HTTP 402";
  REQUIRE(store.one(update_by(t, delivery(), e, at(2))).result == write_status::applied);
  REQUIRE(store->find(id)->state == workflow::process_state::undone);
}

} // namespace

TEST_CASE("each end of a task is counted once, and the counts outlive the process") {
  opened_store store;
  end_well(store, "a");
  refuse(store, "b");
  end_well(store, "c");
  const auto before = store->counts().endings;
  REQUIRE(before.contains("delivery"));
  CHECK(before.at("delivery").count == 3);
  CHECK(before.at("delivery").last[0] == 0b010);
  store.reopen();
  refuse(store, "d");
  const auto after = store->counts().endings.at("delivery");
  CHECK(after.count == 4);
  CHECK(after.last[0] == 0b0101);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a task that a person cancels is not counted") {
  opened_store store;
  store.submit("a");
  store.one(update_by(*store->find("a"), delivery(), workflow::cancelled{{"ann", "a mistake"}}, at(3)));
  REQUIRE(store->find("a")->state == workflow::process_state::undone);
  CHECK(store->counts().endings.empty());
}

TEST_CASE("the store tells how large it and its disk are") {
  opened_store store;
  const auto s = store->sizes();
  CHECK(s.bytes_reserve == store.options().size_reserve);
  CHECK(s.disk_size > 0);
  CHECK(s.disk_free <= s.disk_size);
}
