#include "tests/unit/store/support.hpp"

#include "workflow/supervision/node_card.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

constexpr workflow::span ttl{10'000};

acquire_lease acquire(const std::string& holder, std::int64_t seconds) {
  return {"supervisor", holder, "note of " + holder, ttl, at(seconds)};
}

} // namespace

TEST_CASE("a free lease is acquired with an epoch, a held one by nobody else") {
  opened_store store;
  auto o = store.one(acquire("n1", 0));
  CHECK(o.result == write_status::applied);
  CHECK(o.epoch == 1);
  o = store.one(acquire("n2", 9));
  CHECK(o.result == write_status::refused);
  CHECK(o.why.find("n1") != std::string::npos);
  const auto all = store->leases({workflow::never});
  REQUIRE(all.size() == 1);
  CHECK(all[0].holder == "n1");
  CHECK(all[0].note == "note of n1");
  CHECK(all[0].expires_at == at(10));
}

TEST_CASE("each acquisition raises the epoch: after a lapse, a release, or by the holder itself") {
  opened_store store;
  CHECK(store.one(acquire("n1", 0)).epoch == 1);
  CHECK(store.one(acquire("n1", 1)).epoch == 2);
  CHECK(store.one(acquire("n2", 11)).epoch == 3);
  CHECK(store.one(release_lease{"supervisor", "n2", 3}).result == write_status::applied);
  CHECK(store.one(acquire("n1", 12)).epoch == 4);
}

TEST_CASE("row 49: epochs go on above all former ones after a restart") {
  opened_store store;
  store.one(acquire("n1", 0));
  store.one(release_lease{"supervisor", "n1", 1});
  store.reopen();
  CHECK(store.one(acquire("n2", 1)).epoch == 2);
}

TEST_CASE("a renewal needs the holder and its epoch, and is good until somebody else has the lease") {
  opened_store store;
  const renew_lease mine{"supervisor", "n1", 1, ttl, at(5)};
  CHECK(store.one(mine).result == write_status::absent);
  store.one(acquire("n1", 0));
  CHECK(store.one(mine).result == write_status::applied);
  CHECK(store->leases({workflow::never})[0].expires_at == at(15));
  CHECK(store.one(renew_lease{"supervisor", "n2", 1, ttl, at(5)}).result == write_status::stale_epoch);
  CHECK(store.one(renew_lease{"supervisor", "n1", 2, ttl, at(5)}).result == write_status::stale_epoch);

  CHECK(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(40)}).result == write_status::applied);
  CHECK(store.one(acquire("n2", 51)).epoch == 2);
  CHECK(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(52)}).result == write_status::stale_epoch);
}

TEST_CASE("row 47: a release lost, doubled or by a stranger frees nothing that is held") {
  opened_store store;
  store.one(acquire("n1", 0));
  CHECK(store.one(release_lease{"supervisor", "n2", 1}).result == write_status::stale_epoch);
  CHECK(store.one(release_lease{"supervisor", "n1", 7}).result == write_status::stale_epoch);
  CHECK(store.one(acquire("n2", 1)).result == write_status::refused);
  CHECK(store.one(release_lease{"supervisor", "n1", 1}).result == write_status::applied);
  CHECK(store->leases({workflow::never})[0].expires_at == workflow::unset);
  CHECK(store.one(release_lease{"supervisor", "n1", 1}).result == write_status::stale_epoch);

  CHECK(store.one(acquire("n2", 2)).epoch == 2);
  CHECK(store.one(release_lease{"supervisor", "n1", 1}).result == write_status::stale_epoch);
  CHECK(store.one(acquire("n1", 3)).result == write_status::refused);
}

TEST_CASE("row 50: a lease written under a clock that was years ahead does not last for years") {
  opened_store store;
  store.one(acquire("n1", 300'000'000));
  CHECK(store.one(acquire("n2", 0)).epoch == 2);
  CHECK(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(1)}).result == write_status::stale_epoch);
}

TEST_CASE("P20: a lease given by another clock is nobody else's before its holder has certainly stopped") {
  const auto given_at = GENERATE(-10'000, 99, 103, 10'000); // by a clock hours or a moment behind, or ahead
  INFO("by a clock that showed second " << given_at);
  opened_store store;
  store.one(acquire("n1", given_at));
  const auto set_at = at(100);
  const auto acquired_by_n2 = [&](std::int64_t seconds) {
    auto w = acquire("n2", 0);
    w.now = {at(seconds), set_at};
    return store.one(w);
  };
  const auto end = [&](std::int64_t seconds) { return store->leases({at(seconds), set_at}).at(0).expires_at; };

  CHECK(end(102) == at(110));
  CHECK(acquired_by_n2(102).result == write_status::refused);
  const auto guarded = [&](std::int64_t seconds) {
    return store.one(claim_tasks{"n1", 1, {at(seconds), set_at}, lease_guard{"supervisor", 1}}).result;
  };
  CHECK(guarded(102) == write_status::applied);
  const bool looks_like_its_own = given_at == 103;
  CHECK(acquired_by_n2(looks_like_its_own ? 112 : 109).result == write_status::refused);
  CHECK(acquired_by_n2(looks_like_its_own ? 113 : 110).epoch == 2);
  CHECK(end(113) >= at(120));
  CHECK(guarded(113) == write_status::stale_epoch);
}

TEST_CASE("a lease needs a name, a holder and a time to live") {
  opened_store store;
  CHECK(store.one(acquire_lease{"", "n1", "", ttl, at(0)}).result == write_status::refused);
  CHECK(store.one(acquire_lease{std::string(256, 'x'), "n1", "", ttl, at(0)}).result == write_status::refused);
  CHECK(store.one(acquire_lease{"x", "n1", "", workflow::span::max(), at(0)}).result == write_status::refused);
  CHECK(store.one(acquire_lease{"a", "", "", ttl, at(0)}).result == write_status::refused);
  CHECK(store.one(acquire_lease{"a", "n1", "", workflow::span{0}, at(0)}).result == write_status::refused);
  CHECK(store.one(renew_lease{std::string(600, 'x'), "n1", 1, ttl, at(0)}).result == write_status::absent);
  CHECK(store->leases({workflow::never}).empty());
}

TEST_CASE("row 49: leases of passing names are forgotten, their epochs are not") {
  constexpr int names = 600;
  opened_store store;
  store.one(submit_task{order("t1"), at(0)});
  const auto acquire_node = [&](const std::string& node, std::int64_t seconds) {
    return store.one(acquire_lease{"node/" + node, node, "", ttl, at(seconds)}).epoch;
  };
  for (int i = 0; i < 3; ++i)
    acquire_node("first", i);
  acquire_node("busy", 0);
  REQUIRE(store.one(claim_tasks{"busy", 1, at(1), lease_guard{"node/busy", 1}}).tasks.size() == 1);
  for (int i = 0; i < names; ++i) {
    const auto name = "n" + std::to_string(i);
    const auto epoch = acquire_node(name, 100 + i);
    if (i % 2 == 0)
      REQUIRE(store.one(release_lease{"node/" + name, name, epoch}).result == write_status::applied);
  }
  const auto held = store->leases({workflow::never});
  CHECK(held.size() <= 256 + 11); // those that ended, and those of the last ten seconds
  const auto is_there = [&](const std::string& name) {
    return std::any_of(held.begin(), held.end(), [&](const lease& l) { return l.name == name; });
  };
  CHECK(is_there("node/busy")); // by which its task will be freed
  CHECK(is_there("node/n599"));
  REQUIRE_FALSE(is_there("node/first"));
  CHECK(store->check().faults.empty());

  SECTION("at once") {
    CHECK(acquire_node("first", 800) > 3);
  }
  SECTION("after a restart") {
    store.reopen();
    CHECK(acquire_node("first", 800) > 3);
  }
  CHECK(acquire_node("first", 801) > 4);
}

namespace {

/// Two tasks are locked by `b`, whose lease node/b has epoch 1 until second 10; so has n1's lease of the supervisor.
void lock_two_tasks(opened_store& store) {
  store.one(acquire_lease{"node/b", "b", "", ttl, at(0)});
  store.one(acquire("n1", 0));
  store->commit({submit_task{order("t1"), at(0)}, submit_task{order("t2"), at(0)}});
  REQUIRE(store.one(claim_tasks{"b", 5, at(1), lease_guard{"node/b", 1}}).tasks.size() == 2);
}

free_locks free_of_b(std::int64_t seconds) {
  free_locks w{"b", 10, false, at(seconds)};
  w.guard = lease_guard{"supervisor", 1};
  w.gone = lease_guard{"node/b", 1};
  return w;
}

} // namespace

TEST_CASE("row 38: what a node had locked is freed once its lease has ended, and not before") {
  opened_store store;
  lock_two_tasks(store);
  store.one(renew_lease{"supervisor", "n1", 1, ttl, at(5)});
  CHECK(store.one(free_of_b(9)).result == write_status::stale_epoch);
  CHECK(store.one(free_of_b(10)).freed == 2);
}

TEST_CASE("row 57: a node that is back in time keeps what it had locked") {
  opened_store store;
  lock_two_tasks(store);
  SECTION("it renewed its lease") {
    store.one(renew_lease{"node/b", "b", 1, ttl, at(9)});
  }
  SECTION("it acquired it anew") {
    store.one(acquire_lease{"node/b", "b", "", ttl, at(11)});
  }
  store.one(renew_lease{"supervisor", "n1", 1, ttl, at(9)}); // it may free, but not this
  CHECK(store.one(free_of_b(12)).why == "the lease node/b is held");
  CHECK(store->find("t1")->locked_by == "b");
}

TEST_CASE("row 41: a supervisor whose lease is at a later epoch frees nothing") {
  opened_store store;
  lock_two_tasks(store);
  store.one(acquire("n2", 10));
  CHECK(store.one(free_of_b(11)).result == write_status::stale_epoch);
}

TEST_CASE("row 14: a scheduler whose node's lease is at a later epoch takes and frees nothing") {
  opened_store store;
  lock_two_tasks(store);
  store.one(submit_task{order("t3"), at(1)});
  store.one(acquire_lease{"node/b", "b", "", ttl, at(2)});
  CHECK(store.one(claim_tasks{"b", 5, at(3), lease_guard{"node/b", 1}}).result == write_status::stale_epoch);
  free_locks own{"b", 10, false, at(3)};
  own.guard = lease_guard{"node/b", 1};
  CHECK(store.one(own).result == write_status::stale_epoch);
}

TEST_CASE("row 14: a lease that has ended guards nothing, until its holder renews it") {
  opened_store store;
  lock_two_tasks(store);
  store.one(submit_task{order("t3"), at(1)});
  const auto claim = [](std::int64_t seconds) { return claim_tasks{"b", 5, at(seconds), lease_guard{"node/b", 1}}; };
  CHECK(store.one(claim(10)).result == write_status::stale_epoch);
  free_locks own{"b", 10, false, at(70)};
  own.guard = lease_guard{"node/b", 1};
  CHECK(store.one(own).result == write_status::stale_epoch);
  CHECK(store.one(free_of_b(10)).result == write_status::stale_epoch); // the supervisor's has ended as well
  auto decided = update_task{};
  decided.next = *store->find("t1");
  decided.lock_epoch_before = decided.next.lock_epoch;
  decided.guard = lease_guard{"supervisor", 1};
  decided.now = at(10);
  CHECK(store.one(decided).result == write_status::stale_epoch);

  REQUIRE(store.one(renew_lease{"node/b", "b", 1, ttl, at(70)}).result == write_status::applied);
  CHECK(store.one(claim(79)).tasks.size() == 1);
  CHECK(store.one(claim(80)).result == write_status::stale_epoch);
  REQUIRE(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(70)}).result == write_status::applied);
  decided.now = at(71);
  CHECK(store.one(decided).result == write_status::applied);
}

TEST_CASE("row 50: a guard that was renewed before the clock was set back by hours holds once it is renewed again") {
  opened_store store;
  lock_two_tasks(store);
  const claim_tasks claim{"b", 5, at(-7200), lease_guard{"node/b", 1}};
  CHECK(store.one(claim).result == write_status::stale_epoch);
  store.one(renew_lease{"node/b", "b", 1, ttl, at(-7200)});
  CHECK(store.one(claim).result == write_status::applied);
}

TEST_CASE("a scheduler frees what it does not know of and keeps the rest") {
  opened_store store;
  lock_two_tasks(store);
  free_locks w{"b", 10, false, at(2)};
  w.except = {store->find("t1")->number};
  CHECK(store.one(w).freed == 1);
  CHECK(store->find("t1")->locked_by == "b");
  CHECK(store->find("t2")->locked_by.empty());
}

TEST_CASE("a holder changes what its lease tells of it when it renews it") {
  opened_store store;
  store.one(acquire_lease{"node/b", "b", "first", ttl, at(0)});
  CHECK(store.one(renew_lease{"node/b", "b", 1, ttl, at(1)}).result == write_status::applied);
  CHECK(store->leases({workflow::never}).at(0).note == "first");
  CHECK(store.one(renew_lease{"node/b", "b", 1, ttl, at(2), "second"}).result == write_status::applied);
  CHECK(store->leases({workflow::never}).at(0).note == "second");
  CHECK(store.one(renew_lease{"node/b", "b", 1, ttl, at(2), std::string(65'537, 'x')}).result == write_status::refused);
  CHECK(store->leases({workflow::never}).at(0).note == "second");
}

namespace {

register_definition sleeper(std::int64_t seconds) {
  workflow::definition d;
  d.name = "sleeper";
  d.steps.resize(1);
  d.steps[0].name = "nap";
  d.steps[0].wait.emplace();
  d.steps[0].wait->length = std::chrono::hours{1};
  return {d, {}, at(seconds)};
}

register_definition later(std::int64_t seconds) {
  auto d = delivery();
  d.name = "later";
  d.steps[0].later = workflow::later_rule{std::chrono::minutes{1}, {}};
  return {d, {}, at(seconds)};
}

register_definition expecting(std::int64_t seconds) {
  auto d = delivery();
  d.name = "expecting";
  d.steps[0].expect = workflow::expect_rule{{"", "/status", workflow::condition::test::equals, "\"ok\""}, false};
  return {d, {}, at(seconds)};
}

acquire_lease node(const std::string& name, workflow::knowledge knows, std::int64_t seconds) {
  workflow::node_card card{name, "", {}, {}};
  card.knows = knows;
  return {"node/" + name, name, workflow::note_of(card), ttl, at(seconds)};
}

} // namespace

TEST_CASE("row 111: a workflow that waits is not stored while a node of an older release lives") {
  opened_store store;
  REQUIRE(store.one(node("old", workflow::knowledge::none, 0)).result == write_status::applied);
  REQUIRE(store.one(node("new", workflow::newest_knowledge, 0)).result == write_status::applied);
  const auto o = store.one(sleeper(1));
  CHECK(o.result == write_status::refused);
  CHECK(o.why.find("node `old` runs a release that does not support them") != std::string::npos);
  CHECK_FALSE(store->find_definition("sleeper", 1));
  CHECK(store.one(register_definition{delivery(), {}, at(1)}).result == write_status::applied);
  CHECK(store.one(sleeper(11)).result == write_status::applied); // its lease has ended
}

TEST_CASE("row 111: a node of an older release gets no lease while a workflow that waits is stored") {
  opened_store store;
  REQUIRE(store.one(sleeper(0)).result == write_status::applied);
  const auto o = store.one(node("old", workflow::knowledge::none, 1));
  CHECK(o.result == write_status::refused);
  CHECK(o.why.find("which the node's release does not support") != std::string::npos);
  CHECK(store.one(node("new", workflow::newest_knowledge, 1)).result == write_status::applied);
  CHECK(store.one(acquire("n1", 1)).result == write_status::applied);
}

TEST_CASE("row 112: a node that does not know what steps expect would take any result, and is kept apart from those") {
  opened_store store;
  REQUIRE(store.one(node("rates", workflow::knowledge::rates, 0)).result == write_status::applied);
  CHECK(store.one(expecting(1)).result == write_status::refused);
  REQUIRE(store.one(expecting(11)).result == write_status::applied); // its lease has ended
  CHECK(store.one(node("rates", workflow::knowledge::rates, 12)).result == write_status::refused);
  CHECK(store.one(node("new", workflow::newest_knowledge, 12)).result == write_status::applied);
}

TEST_CASE("row 112: a node that knows steps that sleep, and none that end later, is kept apart from those") {
  opened_store store;
  REQUIRE(store.one(node("sleeps", workflow::knowledge::waits, 0)).result == write_status::applied);
  CHECK(store.one(sleeper(1)).result == write_status::applied);
  CHECK(store.one(later(1)).result == write_status::refused);
  REQUIRE(store.one(later(11)).result == write_status::applied); // its lease has ended
  CHECK(store.one(node("sleeps", workflow::knowledge::waits, 12)).result == write_status::refused);
  CHECK(store.one(node("new", workflow::newest_knowledge, 12)).result == write_status::applied);
}
