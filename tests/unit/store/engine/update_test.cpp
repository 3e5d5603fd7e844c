#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

TEST_CASE("an update is stored with the next revision") {
  opened_store store;
  store.submit("a");
  const auto t = store.take();
  CHECK(t.revision == 2);
  const auto o = store.one(success_of(t, 0, R"({"parcel":7})"));
  CHECK(o.result == write_status::applied);
  CHECK(o.revision == 3);
  const auto stored = store->find("a");
  CHECK(stored->revision == 3);
  CHECK(stored->steps[0].state == workflow::step_state::completed);
  CHECK(stored->steps[0].result.view() == R"({"parcel":7})");
  CHECK(stored->steps[1].state == workflow::step_state::running);
  CHECK(stored->payload.view() == "{}");
}

TEST_CASE("an update made from an older revision is stale and changes nothing") {
  opened_store store;
  store.submit("a");
  const auto t = store.take();
  const auto u = success_of(t, 0);
  CHECK(store.one(u).result == write_status::applied);
  const auto before = store->find("a");
  const auto o = store.one(u);
  CHECK(o.result == write_status::stale_lock);
  CHECK(store->find("a") == before);
}

TEST_CASE("an update under an older lock epoch is stale, even with the right revision") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.lock_epoch_before = 0;
  CHECK(store.one(u).result == write_status::stale_lock);
}

TEST_CASE("a scheduler that lost its lock cannot write any more") {
  opened_store store;
  store.submit("a");
  const auto old = store.take("s1");
  store.one(free_locks{"s1", 10, false, at(5)});
  const auto taken = store.take("s2", 6);
  CHECK(taken.lock_epoch == old.lock_epoch + 1);
  CHECK(store.one(success_of(old, 0)).result == write_status::stale_lock);
  CHECK(store->find("a")->locked_by == "s2");
}

TEST_CASE("an update of no task is answered as absent") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.next.number = 99;
  CHECK(store.one(u).result == write_status::absent);
}

TEST_CASE("an update that breaks an invariant is refused with what would not hold") {
  opened_store store;
  store.submit("a");
  const auto t = store.take();
  update_task u;
  u.next = t;
  u.next.locked_by.clear();
  u.lock_epoch_before = t.lock_epoch;
  const auto o = store.one(u);
  CHECK(o.result == write_status::refused);
  CHECK(o.why.find("nobody has it") != std::string::npos);
  CHECK(store->find("a")->locked_by == "s1");
}

TEST_CASE("what a task is never changes") {
  opened_store store;
  store.submit("a");
  store.submit("b");
  auto u = success_of(store.take(), 0);
  u.next.id = "b";
  CHECK(store.one(u).result == write_status::refused);
  CHECK(store->find("b")->number == 2);
}

TEST_CASE("a guarded update needs the lease, held, with that very epoch") {
  opened_store store;
  store.submit("a");
  const auto t = store.take();
  auto u = success_of(t, 0);

  u.guard = lease_guard{"supervisor", 1};
  CHECK(store.one(u).result == write_status::stale_epoch);
  store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(0)});
  store.one(acquire_lease{"supervisor", "n2", "", workflow::span{1000}, at(10)});
  CHECK(store.one(u).result == write_status::stale_epoch);
  store.one(release_lease{"supervisor", "n2", 2});
  u.guard->epoch = 2;
  CHECK(store.one(u).result == write_status::stale_epoch);
  CHECK(store->find("a")->revision == t.revision);

  store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(20)});
  u.guard->epoch = 3;
  CHECK(store.one(u).result == write_status::applied);
}

TEST_CASE("a guard is checked in the order of the batch: a lease lost one write earlier does not count") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.guard = lease_guard{"supervisor", 1};
  store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(0)});
  const auto o = store->commit({acquire_lease{"supervisor", "n2", "", workflow::span{1000}, at(10)}, u});
  CHECK(o[0].as<lease_result>().epoch == 2);
  CHECK(o[1].result == write_status::stale_epoch);
}

TEST_CASE("large results and the payload are written once and come back with the task") {
  opened_store store;
  store.submit("a", std::string(5000, 'p'));
  const std::string small(result_inline_max, 's');
  const std::string large(result_inline_max + 1, 'l');
  store.one(success_of(store.take(), 0, large));
  store.one(success_of(*store->find("a"), 1, small, 3));
  const auto t = store->find("a");
  REQUIRE(t);
  CHECK(t->state == workflow::process_state::processed);
  CHECK(t->steps[0].result.view() == large);
  CHECK(t->steps[1].result.view() == small);
  CHECK(t->payload.size() == 5000);

  const auto listed = store->list({}, {}, 10).tasks.at(0);
  CHECK(listed.payload.empty());
  CHECK(listed.steps[0].result.empty());
  CHECK(listed.steps[1].result.view() == small);
}

TEST_CASE("a task updated without its payload and large results having been read keeps them") {
  opened_store store;
  store.submit("a", std::string(5000, 'p'));
  store.one(success_of(store.take(), 0, std::string(5000, 'l')));
  const auto lean = store->list({}, {}, 10).tasks.at(0);
  CHECK(store.one(success_of(lean, 1)).result == write_status::applied);
  const auto t = store->find("a");
  REQUIRE(t);
  CHECK(t->payload.size() == 5000);
  CHECK(t->steps[0].result.size() == 5000);
}

TEST_CASE("an edited payload takes the place of the first one, and the first submission stays known") {
  opened_store store;
  store.submit("a", "[1]");
  const auto t = *store->find("a");
  const auto u = update_by(t, delivery(), workflow::payload_edited{workflow::blob{"[2]"}, {"ann", "typo"}}, at(1));
  CHECK(store.one(u).result == write_status::applied);
  CHECK(store->find("a")->payload.view() == "[2]");
  CHECK_FALSE(store.submit("a", "[1]").created);
  CHECK(store.submit("a", "[2]").result == write_status::refused);
}

TEST_CASE("results and payloads above their limit are refused with the limit") {
  auto options = small_options({});
  options.payload_size_max = 10;
  options.result_size_max = 10;
  opened_store store{options};
  store.submit("a", "0123456789");
  const auto t = store.take();
  const auto o = store.one(success_of(t, 0, "0123456789x"));
  CHECK(o.result == write_status::refused);
  CHECK(o.why.find("the limit is 10") != std::string::npos);
  CHECK(store.one(success_of(t, 0, "0123456789")).result == write_status::applied);
}

TEST_CASE("notices, alerts and evidence are committed with the state they tell of, or not at all") {
  opened_store store;
  auto s = order("a");
  s.reply_to = "shop";
  store.one(submit_task{s, at(0)});
  const auto t = store.take();
  auto u = success_of(t, 0);
  REQUIRE_FALSE(u.notices.empty());
  u.alerts.push_back({"waiting", "look", "drone", at(2)});
  u.evidence = workflow::late_reply{"package", 1, 1, "attempt_failed", "late", at(2)};
  auto stale = u;
  stale.next.revision = 1;
  const auto noted = store->notices("shop", 0, 0, 100).size();
  CHECK(store.one(stale).result == write_status::stale_lock);
  CHECK(store->notices("shop", 0, 0, 100).size() == noted);
  CHECK(store->alerts(false, 10).empty());
  CHECK(store->late_replies({}, 10).empty());

  CHECK(store.one(u).result == write_status::applied);
  CHECK(store->notices("shop", 0, 0, 100).size() == noted + u.notices.size());
  REQUIRE(store->alerts(true, 10).size() == 1);
  CHECK(store->alerts(true, 10)[0].task_id == "a");
  CHECK(store->alerts(true, 10)[0].what == u.alerts[0]);
  REQUIRE(store->late_replies(1, 10).size() == 1);
  CHECK(store->late_replies(1, 10)[0].what == *u.evidence);
}

TEST_CASE("notices that do not go on from those before are refused") {
  opened_store store;
  auto told = order("a");
  told.reply_to = "shop";
  store.one(submit_task{told, at(0)});
  const auto good = success_of(store.take(), 0);
  REQUIRE(good.notices.size() == 2);
  auto u = good;
  u.notices[1].sequence = u.next.notices + 1;
  CHECK(store.one(u).result == write_status::refused);
  u.notices[1].sequence = 1;
  CHECK(store.one(u).result == write_status::refused);
  u = good;
  u.next.notices = 0;
  u.notices.clear();
  CHECK(mentions(store.one(u).why, "notices"));
  CHECK(store.one(good).result == write_status::applied);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 3: each write of a batch is decided on its own and sees those before it") {
  opened_store store;
  const auto o = store->commit({
    submit_task{order("a"), at(0)},
    submit_task{order("b"), at(0)},
    submit_task{order("a", "[]"), at(0)},
    claim_tasks{"s1", 1, at(1)},
    claim_tasks{"s2", 5, at(1)},
    release_lease{"nothing", "s1", 1},
  });
  CHECK(o[0].as<submit_result>().created);
  CHECK(o[1].as<submit_result>().created);
  CHECK(o[2].result == write_status::refused);
  REQUIRE(o[3].as<claim_result>().tasks.size() == 1);
  CHECK(o[3].as<claim_result>().tasks[0].id == "a");
  CHECK(o[3].as<claim_result>().more);
  REQUIRE(o[4].as<claim_result>().tasks.size() == 1);
  CHECK(o[4].as<claim_result>().tasks[0].id == "b");
  CHECK_FALSE(o[4].as<claim_result>().more);
  CHECK(o[5].result == write_status::absent);
}

TEST_CASE("an update says when the task has ended by it, and no later one says so again") {
  opened_store store;
  store.submit("a");
  const auto first = store.one(success_of(store.take(), 0));
  CHECK_FALSE(first.has_ended);
  const auto last = store.one(success_of(*store->find("a"), 1));
  CHECK(last.has_ended);
  update_task again;
  again.next = *store->find("a");
  again.lock_epoch_before = again.next.lock_epoch;
  const auto after = store.one(again);
  CHECK(after.result == write_status::applied);
  CHECK_FALSE(after.has_ended);
}

TEST_CASE("of two updates from one revision in a batch the second is stale, one that goes on from the first is not") {
  opened_store store;
  store.submit("a");
  const auto u = success_of(store.take(), 0);
  auto onward = u;
  onward.next.revision = 3;
  const auto o = store->commit({u, u, onward});
  CHECK(o[0].result == write_status::applied);
  CHECK(o[1].result == write_status::stale_lock);
  CHECK(o[2].result == write_status::applied);
  CHECK(o[2].as<update_result>().revision == 4);
  CHECK(store->find("a")->revision == 4);
}
