// An owner that was taken over writes nothing any more.

#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>
#include <libpq-fe.h>

#include <csignal>
#include <future>

using namespace steadfast;
using namespace steadfast::store::postgres;
using namespace steadfast::tests;

namespace {

/// The one session of the owner of partition 0.
pid_t process_of_owner(const postgres_server& s) {
  return static_cast<pid_t>(
    std::stol(s.sql({"select pid from pg_stat_activity where application_name = 'steadfast steadfast partition 0'"})));
}

} // namespace

TEST_CASE("row 88: of two that believe to own a partition only the later writes") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto first = owned(owner(server.url(), "n1"));
  REQUIRE(first->append(one(1, "of n1")).result == appending::applied);

  auto second = owned(owner(server.url(), "n2"));
  CHECK(second->known() == acknowledged{2, 1});
  const auto refused = first->append(one(2, "too late"));
  CHECK(refused.result == appending::lost);
  CHECK_FALSE(first->is_owned());
  CHECK(second->append(one(3, "of n2")).result == appending::applied);
  CHECK(second->read_log() == std::vector<log_record>{{1, one(1, "of n1")}, {2, one(3, "of n2")}});
  CHECK(seen(server.url()) == holding{0, 2, "n2"});

  partition third{0, owner(server.url(), "n3"), std::chrono::steady_clock::now};
  const auto moved = third.take({0, 1, "n1"}); // as he saw it, a while ago
  CHECK(moved.result == taking::moved);
  CHECK(moved.why.find("n2") != std::string::npos);
  second->release();
  CHECK(seen(server.url()) == holding{0, 2, ""});
  CHECK(third.take(seen(server.url())).result == taking::taken);
}

TEST_CASE("two owners never pass for one another, even where two servers gave them the same epoch") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto first = owned(owner(server.url(), "n1"));
  server.sql({"update steadfast.partition_owner set holder = 'n2' where number = 0"});
  CHECK(first->append(one(1, "x")).result == appending::lost);
  CHECK(server.sql({"select count(*) from steadfast.log_0_0"}) == "0");
}

TEST_CASE("row 87: a commit that was under way while its owner was taken over fails as a whole") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto settings = owner(server.url(), "n1");
  settings.limits.answer = std::chrono::milliseconds{1500};
  auto frozen = owned(settings);
  const auto process = process_of_owner(server);
  REQUIRE(kill(process, SIGSTOP) == 0); // the commit is sent, and waits in the socket

  CHECK(frozen->append(one(1, "late")).result == appending::unknown);
  auto next = owned(owner(server.url(), "n2"));
  REQUIRE(next->append(one(2, "of n2")).result == appending::applied);
  REQUIRE(kill(process, SIGCONT) == 0);
  REQUIRE(comes_true([&] { return kill(process, 0) != 0; })); // it has read all, and the end of the connection

  CHECK(next->read_log() == std::vector<log_record>{{1, one(2, "of n2")}});
  CHECK(frozen->resolve().result == resolving::lost);
  CHECK_FALSE(frozen->is_owned());
}

TEST_CASE("row 87: a takeover waits for a commit that waits for a standby, and counts it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto first = owned(owner(server.url(), "n1"));
  server.set("synchronous_standby_names", "nobody");
  auto under_way = std::async(std::launch::async, [&] { return first->append(one(1, "waits")); });
  REQUIRE(comes_true(
    [&] { return server.sql({"select count(*) from pg_stat_activity where wait_event = 'SyncRep'"}) == "1"; }));
  auto impatient = owner(server.url(), "n2");
  impatient.take_lock_limit = std::chrono::milliseconds{100};
  partition second{0, impatient, std::chrono::steady_clock::now};
  const auto who = seen(server.url());
  CHECK(second.take(who).result == taking::busy);
  CHECK(server.sql({"select count(*) from pg_stat_activity where wait_event = 'SyncRep'"}) == "1"); // not cancelled
  server.set("synchronous_standby_names", "");
  const auto ended = under_way.get();
  REQUIRE(comes_true([&] { return second.take(who).result == taking::taken; }));
  CHECK(second.known() == acknowledged{2, 1});
  CHECK((ended.result == appending::applied || ended.result == appending::unknown)); // as fast as this machine is
  CHECK(first->is_owned() == (ended.result == appending::applied));
}

TEST_CASE("a holder that died in the middle of sending does not keep its partition locked") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  const auto before = owned(owner(server.url(), "n1"))->known();
  // As its session: the fence is sent, what it guards is not.
  const auto as_owner = server.url() + "?application_name=steadfast%20steadfast%20partition%200"
                        + "&options=-cidle_in_transaction_session_timeout%3D100ms"; // it does not see a pipeline
  const std::unique_ptr<PGconn, decltype(&PQfinish)> half{PQconnectdb(as_owner.c_str()), PQfinish};
  REQUIRE(PQstatus(half.get()) == CONNECTION_OK);
  REQUIRE(PQenterPipelineMode(half.get()) == 1);
  const char* fence = "select 1 from steadfast.partition_owner where number = 0 for share";
  REQUIRE(PQsendQueryParams(half.get(), fence, 0, nullptr, nullptr, nullptr, nullptr, 0) == 1);
  REQUIRE(PQsendFlushRequest(half.get()) == 1);
  REQUIRE(PQflush(half.get()) == 0);
  REQUIRE(comes_true([&] {
    return server.sql(
             {"select count(*) from pg_stat_activity where wait_event = 'ClientRead' and xact_start is not null"
              " and application_name like 'steadfast%'"})
           == "1";
  }));

  auto settings = owner(server.url(), "n2");
  settings.take_lock_limit = std::chrono::milliseconds{200};
  partition next{0, settings, std::chrono::steady_clock::now};
  const auto who = seen(server.url());
  CHECK(next.take(who).result == taking::busy);
  int tries = 0;
  comes_true([&] { return next.take(who).result == taking::taken || ++tries == 50; });
  CHECK(tries < 50);
  CHECK(next.known().epoch == before.epoch + 1);
}
