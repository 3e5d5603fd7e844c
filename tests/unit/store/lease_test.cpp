#include "support.hpp"

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
  CHECK(o.result == verdict::applied);
  CHECK(o.number == 1);
  o = store.one(acquire("n2", 9));
  CHECK(o.result == verdict::refused);
  CHECK(o.why.find("n1") != std::string::npos);
  const auto all = store->leases();
  REQUIRE(all.size() == 1);
  CHECK(all[0].holder == "n1");
  CHECK(all[0].note == "note of n1");
  CHECK(all[0].expires_at == at(10));
}

TEST_CASE("each acquisition raises the epoch: after a lapse, a release, or by the holder itself") {
  opened_store store;
  CHECK(store.one(acquire("n1", 0)).number == 1);
  CHECK(store.one(acquire("n1", 1)).number == 2);
  CHECK(store.one(acquire("n2", 11)).number == 3);
  CHECK(store.one(release_lease{"supervisor", "n2", 3}).result == verdict::applied);
  CHECK(store.one(acquire("n1", 12)).number == 4);
}

TEST_CASE("row 49: epochs go on above all former ones after a restart") {
  opened_store store;
  store.one(acquire("n1", 0));
  store.one(release_lease{"supervisor", "n1", 1});
  store.reopen();
  CHECK(store.one(acquire("n2", 1)).number == 2);
}

TEST_CASE("a renewal needs the holder and its epoch, and is good until somebody else has the lease") {
  opened_store store;
  const renew_lease mine{"supervisor", "n1", 1, ttl, at(5)};
  CHECK(store.one(mine).result == verdict::absent);
  store.one(acquire("n1", 0));
  CHECK(store.one(mine).result == verdict::applied);
  CHECK(store->leases()[0].expires_at == at(15));
  CHECK(store.one(renew_lease{"supervisor", "n2", 1, ttl, at(5)}).result == verdict::stale_epoch);
  CHECK(store.one(renew_lease{"supervisor", "n1", 2, ttl, at(5)}).result == verdict::stale_epoch);

  CHECK(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(40)}).result == verdict::applied);
  CHECK(store.one(acquire("n2", 51)).number == 2);
  CHECK(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(52)}).result == verdict::stale_epoch);
}

TEST_CASE("row 47: a release lost, doubled or by a stranger frees nothing that is held") {
  opened_store store;
  store.one(acquire("n1", 0));
  CHECK(store.one(release_lease{"supervisor", "n2", 1}).result == verdict::stale_epoch);
  CHECK(store.one(release_lease{"supervisor", "n1", 7}).result == verdict::stale_epoch);
  CHECK(store.one(acquire("n2", 1)).result == verdict::refused);
  CHECK(store.one(release_lease{"supervisor", "n1", 1}).result == verdict::applied);
  CHECK(store->leases()[0].expires_at == workflow::unset);
  CHECK(store.one(release_lease{"supervisor", "n1", 1}).result == verdict::stale_epoch);

  CHECK(store.one(acquire("n2", 2)).number == 2);
  CHECK(store.one(release_lease{"supervisor", "n1", 1}).result == verdict::stale_epoch);
  CHECK(store.one(acquire("n1", 3)).result == verdict::refused);
}

TEST_CASE("row 50: a lease written under a clock that was years ahead does not last for years") {
  opened_store store;
  store.one(acquire("n1", 300'000'000));
  CHECK(store.one(acquire("n2", 0)).number == 2);
  CHECK(store.one(renew_lease{"supervisor", "n1", 1, ttl, at(1)}).result == verdict::stale_epoch);
}

TEST_CASE("a lease needs a name, a holder and a time to live") {
  opened_store store;
  CHECK(store.one(acquire_lease{"", "n1", "", ttl, at(0)}).result == verdict::refused);
  CHECK(store.one(acquire_lease{std::string(256, 'x'), "n1", "", ttl, at(0)}).result == verdict::refused);
  CHECK(store.one(acquire_lease{"a", "", "", ttl, at(0)}).result == verdict::refused);
  CHECK(store.one(acquire_lease{"a", "n1", "", workflow::span{0}, at(0)}).result == verdict::refused);
  CHECK(store.one(renew_lease{std::string(600, 'x'), "n1", 1, ttl, at(0)}).result == verdict::absent);
  CHECK(store->leases().empty());
}
