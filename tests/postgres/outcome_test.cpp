// What is not known of a commit is found out, and nothing is made twice or told wrongly.

#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <csignal>
#include <thread>

using namespace steadfast;
using namespace steadfast::store::postgres;
using namespace steadfast::tests;

namespace {

using std::chrono::milliseconds;

/// One that soon gives up what it waits for.
owner_settings impatient_owner(const std::string& url, milliseconds answer, milliseconds take_lock) {
  auto settings = owner(url, "n1");
  settings.limits.answer = answer;
  settings.take_lock_limit = take_lock;
  return settings;
}

} // namespace

TEST_CASE("row 89: a connection lost before, during or after a commit leaves each commit made once or not at all") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  std::atomic<bool> is_over{false};
  std::thread cutter{[&] {
    while (!is_over) {
      server.sql(
        {"select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% partition 0'"});
      std::this_thread::sleep_for(milliseconds{20}); // so that something is done in between
    }
  }};
  std::vector<std::int64_t> told;
  int doubts = 0;
  const auto until = std::chrono::steady_clock::now() + milliseconds{1500};
  for (std::int64_t task = 1; std::chrono::steady_clock::now() < until || doubts < 3; ++task) {
    auto answer = p->append(one(task, "x"));
    if (answer.result == appending::unknown) {
      ++doubts;
      const auto found = resolve_surely(*p);
      CHECK((found.result == resolving::made || found.result == resolving::not_made));
      if (found.result == resolving::made)
        answer.result = appending::applied;
    }
    if (answer.result == appending::applied)
      told.push_back(task);
    if (!p->is_owned())
      break;
  }
  is_over = true;
  cutter.join();
  REQUIRE(p->is_owned());
  resolve_surely(*p); // its connection may be cut
  CHECK(numbers_in(*p) == told);
  CHECK(server.sql({"select count(*) from steadfast.log_0_0 where changes <> ''"}) == std::to_string(told.size()));
  CHECK(doubts >= 3);
}

TEST_CASE("row 89: a server that is killed in the middle of commits keeps all that it acknowledged") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  std::vector<std::int64_t> told;
  std::int64_t task = 0;
  for (int round = 0; round < 3; ++round) {
    std::thread killer{[&] {
      std::this_thread::sleep_for(milliseconds{100 + 70 * round}); // in the middle: it is no matter where
      server.kill();
    }};
    append_answer answer;
    do {
      answer = p->append(one(++task, "x"));
      if (answer.result == appending::applied)
        told.push_back(task);
    } while (answer.result == appending::applied);
    killer.join();
    CHECK(answer.result == appending::unknown);
    CHECK(p->is_in_doubt());
    CHECK(p->resolve().result == resolving::unreachable);
    CHECK(p->is_in_doubt());
    server.start();
    const auto found = resolve_surely(*p);
    REQUIRE((found.result == resolving::made || found.result == resolving::not_made));
    if (found.result == resolving::made)
      told.push_back(task);
  }
  CHECK(numbers_in(*p) == told);
  CHECK(told.size() > 3);
}

TEST_CASE("row 91: a server that is frozen is noticed by the limit for an answer, and its late commit is not made") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto settings = owner(server.url(), "n1");
  settings.limits = {milliseconds{400}, milliseconds{1200}};
  settings.take_lock_limit = milliseconds{500};
  auto p = owned(settings);
  server.signal_all(SIGSTOP);
  const auto begun = std::chrono::steady_clock::now();
  CHECK(p->append(one(1, "late")).result == appending::unknown);
  const auto noticed = std::chrono::steady_clock::now();
  CHECK(noticed - begun >= milliseconds{1200});
  CHECK(noticed - begun < milliseconds{10'000});
  CHECK(p->resolve().result == resolving::unreachable); // also a new connection is not waited for longer
  CHECK(std::chrono::steady_clock::now() - noticed < milliseconds{10'000});
  server.signal_all(SIGCONT);
  const auto found = resolve_surely(*p);
  REQUIRE((found.result == resolving::made || found.result == resolving::not_made));
  const bool was_made = found.result == resolving::made;
  CHECK(numbers_in(*p) == (was_made ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{}));
  REQUIRE(comes_true([&] { return p->append("").result == appending::applied || (resolve_surely(*p), false); }));
  CHECK(server.sql({"select count(*) from steadfast.log_0_0 where changes like '1 %'"}) == (was_made ? "1" : "0"));
}

TEST_CASE("row 93: a commit whose wait for the standby was cancelled is unknown, and then found") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  server.set("synchronous_standby_names", "nobody");
  std::thread canceller{[&] {
    comes_true([&] {
      return server.sql({"select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'"})
             == "1";
    });
  }};
  const auto answer = p->append(one(1, "x"));
  canceller.join();
  CHECK(answer.result == appending::unknown);
  CHECK(answer.why.find("canceling wait for synchronous replication") != std::string::npos);
  CHECK(server.sql({"select count(*) from steadfast.log_0_0"}) == "1"); // seen by all, and on no standby
  server.set("synchronous_standby_names", "");
  CHECK(resolve_surely(*p).result == resolving::made);
  CHECK(p->known() == acknowledged{2, 1});
}

TEST_CASE("nothing is told as made while the standby is away, and all goes on when it is back") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(impatient_owner(server.url(), milliseconds{800}, milliseconds{300}));
  server.set("synchronous_standby_names", "nobody");
  CHECK(p->append(one(1, "x")).result == appending::unknown);
  const auto first = p->resolve().result;
  REQUIRE((first == resolving::busy || first == resolving::unreachable));
  REQUIRE(comes_true([&] { return p->resolve().result == resolving::busy; })); // its own commit holds the partition
  CHECK(server.sql({"select count(*) from pg_stat_activity where wait_event = 'SyncRep'"}) == "1");
  server.set("synchronous_standby_names", "");
  CHECK(resolve_surely(*p).result == resolving::made);
  CHECK(numbers_in(*p) == std::vector<std::int64_t>{1});
}

TEST_CASE("a commit that fails at its very end is in doubt, and then found not to be made") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  server.sql({"alter table steadfast.log_0_0 add unique (changes) deferrable initially deferred"});
  REQUIRE(p->append(one(1, "x")).result == appending::applied);
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = p->append(one(1, "x"));
  CHECK(answer.result == appending::unknown);
  CHECK(answer.why.find("duplicate key") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < hang_limit / 4); // it was said, and not waited for
  CHECK(resolve_surely(*p).result == resolving::not_made);
  CHECK(p->append(one(2, "z")).result == appending::applied);
  CHECK(numbers_in(*p) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a commit that a crashed primary has alone is not told as made before a standby has it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url());
  auto p = owned(impatient_owner(server.url(), milliseconds{700}, milliseconds{200}));
  server.set("synchronous_standby_names", "nobody");
  CHECK(p->append(one(1, "x")).result == appending::unknown);
  server.kill();
  server.start();
  REQUIRE(server.sql({"select count(*) from steadfast.log_0_0"}) == "1"); // seen by all, and on no standby
  for (int i = 0; i < 4; ++i) {
    const auto found = p->resolve();
    REQUIRE((found.result == resolving::unreachable || found.result == resolving::busy));
  }
  server.set("synchronous_standby_names", "");
  CHECK(resolve_surely(*p).result == resolving::made);
  CHECK(numbers_in(*owned(owner(server.url(), "n2"))) == std::vector<std::int64_t>{1});
}
