// Nodes that wait for the store know what they have seen, and take it only where all of that is.

#include "store/partitions/postgres_engine.hpp"
#include "store/partitions/postgres_store.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace steadfast::store::test {

using namespace tests;

namespace {

constexpr std::chrono::milliseconds lease{1000};

/// A process of a node; the folder is that of its store.
struct node_there {
  postgres_store_options options;

  node_there(const std::string& url, const std::filesystem::path& folder, const std::string& holder) {
    options.where = {url, {}, "steadfast"};
    options.holder = holder;
    options.lease = lease;
    options.limits = small_options(folder);
    options.waits_for_server = true;
  }

  /// Waits for the store, and does that between two looks; false: it gives up. What it was told last is `why`.
  std::unique_ptr<postgres_engine> take(const std::function<bool(int look)>& meanwhile, std::string* why = nullptr) {
    int looks = 0;
    auto taken = take_postgres_store(options, std::chrono::steady_clock::now, [&](auto time, const no_turn& t) {
      if (why != nullptr)
        *why = t.why;
      std::this_thread::sleep_for(time);
      return meanwhile(++looks);
    });
    return taken.empty() ? nullptr : std::move(taken.front());
  }
};

constexpr int looks_of_two_leases = 25;
bool waits_long(int look) {
  return look < looks_of_two_leases;
}

} // namespace

TEST_CASE("row 94: whoever waits takes no store that lost commits, not even after a restart, until a person lets it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server primary;
  make_store(primary.url(), 1);
  postgres_server standby{primary, "s1"};
  REQUIRE(comes_true([&] { return has_standby(primary, "async"); }));
  const auto url = url_of({&primary, &standby});
  const temp_folder folder;
  auto owner = node_there{url, folder.path() / "a", "a"}.take(waits_long);
  REQUIRE(owner);
  REQUIRE(owner->commit_one(register_definition{delivery()}).created);
  const auto place = primary.sql({"select pg_current_wal_flush_lsn()"});
  REQUIRE(
    comes_true([&] { return standby.sql({"select pg_last_wal_replay_lsn() >= '" + place + "'::pg_lsn"}) == "t"; }));
  standby.kill(); // it stops here

  node_there other{url, folder.path() / "b", "b"};
  std::string why;
  const auto loses = [&](int look) {
    if (look == 2)
      REQUIRE(owner->commit_one(submit_task{order("lost"), at(0)}).created);
    if (look == 4) { // it has seen that
      primary.kill();
      standby.start();
      standby.promote();
    }
    return waits_long(look);
  };
  CHECK_FALSE(other.take(loses, &why));
  CHECK(why.find("this server has lost commits that were acknowledged") != std::string::npos);
  CHECK_THROWS_WITH(owner->commit_one(submit_task{order("next"), at(0)}), Catch::Contains("lost commits"));
  owner.reset();
  for (const auto* name : {"a", "b"}) { // restarted, as a service manager does
    INFO(name);
    why.clear();
    CHECK_FALSE(node_there{url, folder.path() / name, std::string{name} + "2"}.take(waits_long, &why));
    CHECK(why.find("remove the file `known_commits`") != std::string::npos);
  }
  CHECK(standby.sql({"select count(*) from steadfast.partition_owner where holder <> 'a'"}) == "0");

  remove(folder.path() / "b" / "known_commits"); // a person has decided
  const auto anew = node_there{url, folder.path() / "b", "b3"}.take(waits_long);
  REQUIRE(anew);
  CHECK_FALSE(anew->find("lost"));
}

TEST_CASE("row 90: a former primary that comes back, first in the URL, keeps nobody from the store") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server former;
  make_store(former.url(), 1);
  const postgres_server primary{former, "s1"};
  former.set("synchronous_standby_names", "s1");
  REQUIRE(comes_true([&] { return has_standby(former, "sync"); }));
  const auto url = url_of({&former, &primary});
  const temp_folder folder;
  auto owner = node_there{url, folder.path() / "a", "a"}.take(waits_long);
  REQUIRE(owner);
  REQUIRE(owner->commit_one(register_definition{delivery()}).created);
  former.kill();
  primary.promote();
  REQUIRE(comes_true([&] { return owner->commit_one(submit_task{order("one"), at(0)}).created; }));
  former.start();
  REQUIRE(comes_true([&] { return former.sql({"select pg_is_in_recovery()"}) == "f"; }));
  const auto seen = postgres::look_at_servers({url, {}, "steadfast"}, 0, "asks", {}, std::chrono::steady_clock::now);
  REQUIRE(seen.size() == 2);
  CHECK(url_of({&primary}).find(seen[0].server) != std::string::npos);

  node_there other{url, folder.path() / "b", "b"};
  const auto taken = other.take([&](int look) {
    if (look == 3)
      owner.reset(); // which lets it go, where it had it
    return waits_long(look);
  });
  REQUIRE(taken);
  CHECK(taken->find("one"));
  CHECK(former.sql({"select holder from steadfast.partition_owner where number = 0"}) == "a");
}

} // namespace steadfast::store::test
