// Commits that begin while others are under way: each is made only if those before it were, whatever happens to them.

#include "store/partitions/postgres_engine.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace steadfast::tests;
using postgres::appending;

namespace {

/// From now on the log takes no entry with that text in it.
void refuse(const postgres_server& server, const std::string& text) {
  server.sql(
    {"create function public.refuse() returns trigger language plpgsql as $$ begin"
     " if position('"
       + text
       + "'::bytea in new.changes) > 0 then raise exception 'refused by the test'; end if;"
         " return new; end $$",
     "create trigger refuse before insert on steadfast.log_0_0 for each row execute function public.refuse()",
     "create trigger refuse before insert on steadfast.log_0_1 for each row execute function public.refuse()"});
}

void refuse_nothing(const postgres_server& server) {
  server.sql({"drop function public.refuse() cascade"});
}

/// A store in partition 0 of a server, with the workflow `delivery` in it, whose commits are shared.
class there {
public:
  explicit there(const std::string& url, bool is_shared = true) : is_shared_{is_shared} {
    settings_.owner = owner(url, "n1");
    settings_.limits = small_options(folder_.path() / "memory");
    settings_.lease = std::chrono::hours{1};
    start();
    engine_->commit({register_definition{delivery()}});
  }

  postgres_engine* operator->() { return engine_.get(); }
  void reopen() {
    engine_.reset();
    settings_.owner.holder += "'";
    start();
  }
  /// The limit for an answer is over, of whatever was sent before.
  void let_time_pass() { later_ = later_.load() + std::chrono::minutes{10}; }
  state_store::commit_end begin(const std::string& id) {
    const store::write w{submit_task{order(id), at(0)}};
    return engine_->begin_commit({&w});
  }

private:
  void start() {
    engine_ = std::make_unique<postgres_engine>(settings_, seen(settings_.owner.where.url),
                                                [this] { return std::chrono::steady_clock::now() + later_.load(); });
    if (is_shared_)
      engine_->share([] {});
  }

  bool is_shared_; ///< else each commit is saved by itself
  temp_folder folder_;
  postgres_store_settings settings_;
  std::atomic<std::chrono::minutes> later_{std::chrono::minutes{0}};
  std::unique_ptr<postgres_engine> engine_;
};

} // namespace

TEST_CASE("row 89: of commits that are under way together each is made only if the one before it was") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  refuse(server, "bad");
  p->begin_append(one(1, "good"));
  p->begin_append(one(2, "bad"));
  p->begin_append(one(3, "good"));
  CHECK(p->under_way() == 3);
  CHECK(p->end_append().result == appending::applied);
  const auto refused = p->end_append();
  CHECK(refused.result == appending::not_made);
  CHECK(refused.why.find("refused by the test") != std::string::npos);
  CHECK(p->end_append().result == appending::not_made);
  CHECK(numbers_in(*p) == std::vector<std::int64_t>{1});
  CHECK(p->append(one(4, "good")).result == appending::applied);
  CHECK(p->known().commit == 2);
  CHECK(numbers_in(*p) == std::vector<std::int64_t>{1, 4});
}

TEST_CASE("row 89: of commits that were under way together when a server was killed, those that it made are found") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  std::vector<std::int64_t> told;
  std::int64_t begun = 0;
  std::int64_t ended = 0;
  for (int round = 0; round < 3; ++round) {
    std::thread killer{[&] {
      std::this_thread::sleep_for(std::chrono::milliseconds{100 + 70 * round}); // in the middle: it is no matter where
      server.kill();
    }};
    postgres::append_answer answer;
    do {
      while (p->under_way() < 3)
        p->begin_append(one(++begun, "x"));
      answer = p->end_append();
      if (answer.result == appending::applied)
        told.push_back(++ended);
    } while (answer.result == appending::applied);
    killer.join();
    CHECK(answer.result == appending::unknown);
    CHECK(p->under_way() == 0);
    server.start();
    const auto before = p->known().commit;
    const auto found = resolve_surely(*p);
    REQUIRE((found.result == postgres::resolving::made || found.result == postgres::resolving::not_made));
    REQUIRE(p->known().commit - before <= begun - ended);
    for (auto made = p->known().commit - before; made > 0; --made)
      told.push_back(++ended);
    ended = begun;
  }
  CHECK(numbers_in(*p) == told);
}

TEST_CASE("row 89: all commits are found that were made while their answers came too late") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  std::chrono::minutes later{0};
  postgres::partition p{0, owner(server.url(), "n1"), [&] { return std::chrono::steady_clock::now() + later; }};
  REQUIRE(p.take(seen(server.url())).result == postgres::taking::taken);
  for (int i = 1; i <= 3; ++i)
    p.begin_append(one(i, "x"));
  REQUIRE(comes_true([&] { return server.sql({"select count(*) from steadfast.log_0_0"}) == "3"; }));
  later = std::chrono::minutes{10}; // than the limit for an answer
  CHECK(p.end_append().result == appending::unknown);
  CHECK(resolve_surely(p).result == postgres::resolving::made);
  CHECK(p.known().commit == 3);
  CHECK(p.append(one(4, "x")).result == appending::applied);
  CHECK(numbers_in(p) == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE("row 89: a store finds what was made while its answer came too late") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  there store{server.url()};
  const auto commits = [&] { return std::stoi(server.sql({"select count(*) from steadfast.log_0_0"})); };
  const auto before = commits();
  const auto end = store.begin("t1");
  REQUIRE(comes_true([&] { return commits() == before + 1; }));
  store.let_time_pass();
  CHECK(end().front().result == write_status::unknown_outcome);
  CHECK(store.begin("t2")().front().as<submit_result>().created);
  CHECK(store->find("t1"));
  CHECK_FALSE(store.begin("t1")().front().as<submit_result>().created);
  store.reopen();
  CHECK(store->list({}, {}, 10).tasks.size() == 2);
}

TEST_CASE("a store begins a commit on what another one will leave, and who reads sees both") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  there store{server.url()};
  const auto first = store.begin("a");
  const auto again = store.begin("a");
  const auto second = store.begin("b");
  CHECK(store->find("b"));
  CHECK(first().front().as<submit_result>().created);
  CHECK_FALSE(again().front().as<submit_result>().created);
  CHECK(second().front().as<submit_result>().number == 2);
  store.reopen();
  CHECK(store->find("a"));
  CHECK(store->find("b"));
  CHECK(store->check().faults.empty());
}

TEST_CASE(
  "row 89: when a commit is refused, those begun after it are not made, nobody sees them, and the store goes on") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const auto who_reads = GENERATE("nobody", "another thread", "the one that commits");
  INFO(who_reads << " reads");
  const postgres_server server;
  make_store(server.url());
  there store{server.url()};
  REQUIRE(store.begin("a")().front().as<submit_result>().created); // and not saved
  refuse(server, "bad");
  const auto first = store.begin("b");
  const auto bad = store.begin("bad");
  const auto last = store.begin("c");
  if (who_reads == std::string{"another thread"})
    store->save(); // which it wakes this one for
  else if (who_reads == std::string{"the one that commits"})
    CHECK(store->find("bad")); // it decides on it
  CHECK(first().front().as<submit_result>().number == 2);
  CHECK_THROWS_WITH(bad(), Catch::Contains("refused by the test"));
  CHECK_THROWS_WITH(last(), Catch::Contains("refused by the test"));
  CHECK(store->find("a"));
  CHECK(store->find("b"));
  CHECK_FALSE(store->find("bad"));
  CHECK_FALSE(store->find("c"));
  CHECK(store->counts().tasks.at(workflow::process_state::pending) == 2);
  CHECK_FALSE(store.begin("a")().front().as<submit_result>().created); // nothing is sent for it
  refuse_nothing(server);
  CHECK(store.begin("c")().front().as<submit_result>().number == 3);
  CHECK(store.begin("bad")().front().as<submit_result>().number == 4);
  CHECK(store->check().faults.empty());
  store.reopen();
  for (const auto* id : {"a", "b", "bad", "c"})
    CHECK(store->find(id));
  CHECK(store->check().faults.empty());
}

TEST_CASE(
  "row 89: commits under way when the server is killed are unknown, not seen, and made in order or not at all") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url());
  there store{server.url()};
  REQUIRE(store.begin("a")().front().as<submit_result>().created);
  REQUIRE(comes_true([&] { return store->ended().has_all_ids(); })); // else each new id is asked for
  server.signal_all(SIGSTOP);
  const auto first = store.begin("b");
  const auto second = store.begin("c");
  server.kill();
  CHECK(first().front().result == write_status::unknown_outcome);
  CHECK(second().front().result == write_status::unknown_outcome);
  CHECK(store->find("a"));
  CHECK_FALSE(store->find("b"));
  CHECK_THROWS_AS(store.begin("d")(), store_error);
  server.start();
  REQUIRE(comes_true([&] {
    try {
      return store.begin("d")().front().result == write_status::applied;
    } catch (const store_error& e) {
      CHECK_FALSE(e.is_fatal());
      return false;
    }
  }));
  CHECK((store->find("b") || !store->find("c")));
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 89: what is saved at once is not seen before it is durable") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  there store{server.url(), false};
  refuse(server, "bad");
  const auto bad = store.begin("bad");
  CHECK_FALSE(store->find("bad"));
  CHECK_THROWS_WITH(bad(), Catch::Contains("refused by the test"));
  CHECK_FALSE(store->find("bad"));
  refuse_nothing(server);
  CHECK(store.begin("bad")().front().as<submit_result>().number == 1);
  CHECK(store->find("bad"));
  CHECK(store->check().faults.empty());
}

TEST_CASE("commits overlap when the server is far, and not when it is near") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  std::chrono::steady_clock::time_point now;
  ended_tasks ended{p->settings(), p->number(), [&now] { return now; }};
  partition_log log{*p, ended, std::chrono::hours{1}, [&now] { return now; }};
  const auto commits_that_take = [&](std::chrono::milliseconds time) {
    for (int i = 0; i < 64; ++i) {
      log.add({});
      now += i == 40 ? time : time * 10;
      log.settle();
      log.begin(0);
    }
    return log.is_far();
  };
  CHECK_FALSE(log.is_far());
  CHECK_FALSE(commits_that_take(std::chrono::milliseconds{2}));
  commits_that_take(std::chrono::milliseconds{4});
  CHECK(commits_that_take(std::chrono::milliseconds{4}));
  CHECK_FALSE(commits_that_take(std::chrono::milliseconds{2}));
}
