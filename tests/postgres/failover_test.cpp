// The primary is lost, and a standby takes its place.

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

/// Writes one commit after the other, and knows of each what became of it.
class writer {
public:
  writer(const std::string& url, std::int64_t number)
      : owner_{owned(owner(url, "n" + std::to_string(number)), number)},
        thread_{[this] { run(); }} {}

  std::size_t told() const { return told_; }
  const std::string& trouble() const { return trouble_; }
  int doubts() const { return doubts_; }
  std::vector<std::int64_t> all() const { return tasks_; }
  partition& end() {
    is_over_ = true;
    thread_.join();
    return *owner_;
  }

private:
  void run() {
    for (std::int64_t task = 1; !is_over_ && trouble_.empty(); ++task) {
      auto answer = owner_->append(one(task, "x"));
      while (answer.result == appending::unknown) {
        ++doubts_;
        const auto found = resolve_surely(*owner_);
        if (found.result == resolving::made)
          answer.result = appending::applied;
        else if (found.result == resolving::not_made)
          answer = owner_->append(one(task, "x"));
        else
          trouble_ = found.why.empty() ? "no answer" : found.why;
        if (!trouble_.empty())
          return;
      }
      if (answer.result != appending::applied) {
        trouble_ = answer.why;
        return;
      }
      tasks_.push_back(task);
      ++told_;
    }
  }

  std::unique_ptr<partition> owner_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::size_t> told_{0};
  std::atomic<int> doubts_{0};
  std::string trouble_;
  std::vector<std::int64_t> tasks_;
  std::thread thread_;
};

} // namespace

TEST_CASE(
  "row 90: the primary is killed and its synchronous standby promoted: no commit is lost, none is there twice") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server primary;
  make_store(primary.url());
  const postgres_server standby{primary, "s1"};
  primary.set("synchronous_standby_names", "s1");
  REQUIRE(comes_true([&] { return has_standby(primary, "sync"); }));
  const auto found = connection::open({url_of({&standby, &primary}), {}}, "the test", {hang_limit / 2, hang_limit / 2},
                                      std::chrono::steady_clock::now);
  CHECK(found.server() == "127.0.0.1:" + std::to_string(primary.port())); // the one that takes writes
  const auto url = url_of({&primary, &standby});
  writer first{url, 0};
  writer second{url, 1};
  const auto both_have = [&](std::size_t more_than_first, std::size_t more_than_second) {
    return comes_true([&] {
      return (first.told() > more_than_first && second.told() > more_than_second) || !first.trouble().empty()
             || !second.trouble().empty();
    });
  };
  REQUIRE(both_have(20, 20));
  primary.kill();
  standby.promote();
  REQUIRE(both_have(first.told() + 20, second.told() + 20));
  for (auto* w : {&first, &second}) {
    auto& p = w->end();
    CHECK(w->trouble().empty());
    CHECK(w->doubts() >= 1);
    CHECK(numbers_in(p) == w->all());
    CHECK(standby.sql({"select count(*) from steadfast.log_" + std::to_string(p.number()) + "_0"})
          == std::to_string(w->all().size()));
  }
}

TEST_CASE("row 94: a standby that was promoted without the last commits is noticed, and nothing is written to it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server primary;
  make_store(primary.url());
  postgres_server standby{primary, "s1"};
  REQUIRE(comes_true([&] { return has_standby(primary, "async"); }));
  const auto url = url_of({&primary, &standby});
  auto behind = owned(owner(url, "n1"), 0);
  auto newer = owned(owner(url, "n2"), 1);
  REQUIRE(behind->append(one(1, "x")).result == appending::applied);
  const auto place = primary.sql({"select pg_current_wal_flush_lsn()"});
  REQUIRE(
    comes_true([&] { return standby.sql({"select pg_last_wal_replay_lsn() >= '" + place + "'::pg_lsn"}) == "t"; }));
  standby.kill(); // it stops here
  REQUIRE(behind->append(one(2, "lost")).result == appending::applied);
  newer->release();
  REQUIRE(newer->take(seen(url, 1)).result == taking::taken); // a taking is lost, and no commit
  primary.kill();
  standby.start();
  standby.promote();

  const auto before =
    standby.sql({"select string_agg(epoch || holder, ' ' order by number) from steadfast.partition_owner"});
  CHECK(behind->append(one(3, "x")).result == appending::unknown);
  const auto found = behind->resolve();
  CHECK(found.result == resolving::server_lost);
  CHECK(found.why.find("shows epoch 1 and commit 1, and there were epoch 1 and commit 2") != std::string::npos);
  CHECK(found.why.find("Promote the server that has them") != std::string::npos);
  CHECK(newer->append(one(1, "x")).result == appending::unknown);
  CHECK(newer->resolve().result == resolving::server_lost);
  CHECK(behind->resolve().result == resolving::server_lost); // for good
  partition other{0, owner(url, "n3"), std::chrono::steady_clock::now};
  CHECK(other.take(seen(url, 0), behind->known()).result == taking::server_lost); // it has heard of them
  CHECK(standby.sql({"select string_agg(epoch || holder, ' ' order by number) from steadfast.partition_owner"})
        == before);
  CHECK(standby.sql({"select count(*) from steadfast.log_0_0"}) == "1");

  partition anew{0, owner(url, "n4"), std::chrono::steady_clock::now}; // a person has decided to go on
  CHECK(anew.take(seen(url, 0)).result == taking::taken);
}
