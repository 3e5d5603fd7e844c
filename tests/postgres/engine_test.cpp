// A store in a partition: it behaves as one in files does, and what was acknowledged is there whatever became of its
// owner, its session or the server.

#include "store/partitions/postgres_store.hpp"
#include "tests/postgres/opened_there.hpp"
#include "tests/postgres/relay.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/skip.hpp"
#include "tests/unit/store/random_writes.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <future>
#include <iomanip>
#include <set>
#include <sstream>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace steadfast::tests;

namespace {

/// Flips a bit of its row.
void damage_task(const postgres_server& server, std::uint64_t number) {
  REQUIRE(server.sql({"update steadfast.kept_0 set value = set_byte(value, length(value) - 1,"
                      " get_byte(value, length(value) - 1) # 4) where in_table = 5 and key = int8send("
                      + std::to_string(number) + ") returning 1"})
          == "1");
}

/// Tries until a submission is made; no error on the way is one for good.
bool goes_on(opened_there& store, const std::string& id) {
  return comes_true([&] {
    try {
      return store.submit(id).result == write_status::applied;
    } catch (const store_error& e) {
      CHECK_FALSE(e.is_fatal());
      return false;
    }
  });
}

} // namespace

TEST_CASE("random writes to a partition give what a simple model says, and every index stays right") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  std::uint64_t first = 1;
  std::uint64_t last = 2;
  if (const char* seed = std::getenv("STEADFAST_SEED"))
    first = last = std::strtoull(seed, nullptr, 10);
  bool have_left = false; // the memory
  for (auto seed = first; seed <= last; ++seed) {
    for (const bool ends_often : {false, true}) {
      INFO("replay with STEADFAST_SEED=" << seed << (ends_often ? ", tasks end often" : ""));
      const postgres_server server;
      make_store(server.url());
      opened_there store{server.url(), 4'000}; // so that the rows are brought up often
      random_writes writes{seed, store};
      writes.saved_one_in = ends_often ? 2 : 30;
      writes.ends_often = ends_often;
      writes.run(ends_often ? 400 : 150);
      CHECK(number_of(server, rows_there) != "0");
      have_left = have_left || number_of(server, ended_rows_there) != "0";
    }
  }
  CHECK((have_left || first == last));
}

TEST_CASE("what a partition holds is read from its rows and the log, and the log is emptied in turn") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.submit_large(30);
  REQUIRE(comes_up(store, server));
  const auto until = std::stoll(number_of(server, "commit_number from steadfast.kept_until"));
  CHECK(until > 20);
  CHECK(comes_true([&] { // the other log is the one that is written
    store->save();
    return number_of(server, "count(*) from steadfast.log_0_1") != "0";
  }));
  REQUIRE(store.submit("later").created);
  store.reopen();
  for (int i = 0; i < 30; ++i)
    REQUIRE(store->find("a" + std::to_string(i)));
  CHECK(store->find("a7")->payload.size() == 2000);
  CHECK(store->find("later"));
  CHECK_FALSE(store.submit("a3", std::string(2000, 'x')).created);
  CHECK(store->check().faults.empty());
  CHECK(store->list({}, {}, 100).tasks.size() == 31);
}

TEST_CASE("row 89: a commit whose outcome is unknown is told as that, and what became of it is what is there") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  std::set<std::string> made;
  std::set<std::string> in_doubt;
  constexpr int most = 300;
  int number = 0;
  while ((in_doubt.size() < 5 || made.size() < 20) && number < most) {
    const auto id = "t" + std::to_string(++number);
    if (number % 5 == 0)
      server.sql(
        {"select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% partition 0'"});
    try {
      const auto o = store->commit(std::vector<store::write>{submit_task{order(id), at(0)}}).front();
      if (o.result == write_status::applied)
        made.insert(id);
      else if (o.result == write_status::unknown_outcome)
        in_doubt.insert(id);
    } catch (const store_error& e) {
      CHECK_FALSE(e.is_fatal());
    }
  }
  CHECK(number < most);
  for (const auto& id : made)
    CHECK(store->find(id));
  for (const auto& id : in_doubt) { // the same again is harmless, and makes it sure
    const bool was_there = store->find(id).has_value();
    CHECK(store.submit(id).created == !was_there);
  }
  CHECK(store->check().faults.empty());
  const auto all = made.size() + in_doubt.size();
  CHECK(store->list({}, {}, 1000).tasks.size() == all);
  store.reopen();
  CHECK(store->list({}, {}, 1000).tasks.size() == all);
}

TEST_CASE("row 91: a store whose server falls silent while it is read is taken when the server answers again") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 1);
  server.sql({"create function public.fall_silent() returns bool language plpgsql as"
              " $$ begin perform pg_sleep(6); return true; end $$",
              "alter table steadfast.kept_0 rename to real_rows",
              "create view steadfast.kept_0 as select * from steadfast.real_rows where public.fall_silent()",
              "insert into steadfast.real_rows values (1, 'x', 'x')", "grant select on steadfast.kept_0 to app"});
  const temp_folder folder;
  postgres_store_options o;
  o.where.url = server.url();
  o.holder = "n1";
  o.lease = std::chrono::seconds{1};
  o.limits = small_options(folder.path());
  bool is_silent = true;
  const auto stores =
    open_postgres_store(o, std::chrono::steady_clock::now, [&](std::chrono::milliseconds time, const no_turn& t) {
      if (is_silent && t.why.find("could not be read") != std::string::npos) {
        is_silent = false;
        server.sql({"drop view steadfast.kept_0", "delete from steadfast.real_rows",
                    "alter table steadfast.real_rows rename to kept_0"});
      }
      std::this_thread::sleep_for(time); // as the lease needs
      return true;
    });
  CHECK_FALSE(is_silent);
  REQUIRE(stores.size() == 1);
  CHECK(stores.front()->commit_one(register_definition{delivery()}).result == write_status::applied);
}

TEST_CASE("who waits for a server too takes the store when one can be reached") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url(), 1);
  server.kill();
  const temp_folder folder;
  postgres_store_options o;
  o.where.url = server.url();
  o.holder = "n1";
  o.limits = small_options(folder.path());
  const auto open = [&] {
    return open_postgres_store(o, std::chrono::steady_clock::now, [&](std::chrono::milliseconds, const no_turn& t) {
      CHECK(t.holder.empty());
      CHECK(t.why.find("no PostgreSQL server") == 0);
      server.start();
      return true;
    });
  };
  CHECK_THROWS_AS(open(), store_error);
  o.waits_for_server = true;
  CHECK(open().size() == 1);
}

TEST_CASE("a partition whose commits are not shared may be written by one thread after the other") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.is_shared = false;
  store.reopen();
  CHECK(store.one(register_definition{delivery()}).result == write_status::applied); // as it is there: nothing changes
  std::async(std::launch::async, [&] { CHECK(store.submit("a").created); }).get();
  CHECK(store->find("a"));
}

TEST_CASE("row 132: tasks of one key are one at a time over owners of a partition") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  auto d = delivery(2);
  d.limit = workflow::limit_rule{"/customer", 1};
  REQUIRE(store->commit_one(register_definition{d}).result == write_status::applied);
  const auto claim = [&](std::int64_t seconds) {
    std::string ids;
    for (const auto& t : store->commit_one(claim_tasks{"s1", 9, at(seconds)}).tasks)
      ids += t.id + " ";
    return ids;
  };
  for (const auto* id : {"a1", "a2", "a3"})
    REQUIRE(store->commit_one(submit_task{order(id, R"({"customer":"ada"})"), at(0)}).created);
  CHECK(claim(1) == "a1 ");
  store.reopen();
  CHECK(claim(2).empty());
  CHECK(store->check().faults == std::vector<std::string>{});
  const auto end = [&](const std::string& id, std::int64_t seconds) {
    const auto t = *store->find(id);
    REQUIRE(store->commit_one(update_by(t, d, workflow::cancelled{{"eve", "a test"}}, at(seconds))).result
            == write_status::applied);
  };
  end("a2", 3); // which has not begun
  store.reopen();
  CHECK(claim(4).empty());
  REQUIRE(store->find("a2")->state == workflow::process_state::undone);
  for (const std::size_t step : {0U, 1U}) {
    workflow::attempt_succeeded e;
    const auto t = *store->find("a1");
    e.ref = {step, t.steps[step].attempt, t.lock_epoch};
    REQUIRE(store->commit_one(update_by(t, d, e, at(5))).result == write_status::applied);
  }
  store.reopen();
  CHECK(claim(7) == "a3 ");
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 88: an owner whose partition was taken writes nothing more, and says so for good") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there former{server.url()};
  REQUIRE(former.submit("a").created);
  opened_there next{server.url()};
  CHECK(next->find("a"));
  REQUIRE(next.submit("b").created);
  const auto is_fatal = [&] {
    try {
      former.submit("c");
    } catch (const store_error& e) {
      return e.is_fatal();
    }
    return false;
  };
  CHECK(is_fatal());
  CHECK(is_fatal());
  CHECK_FALSE(next->find("c"));
  CHECK(former->find("a")); // what it had can still be read
  CHECK_THROWS_AS(former->expect_newest(), store_error);
}

TEST_CASE("row 149: an owner whose lease may have ended does not pass what it has off as the newest") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  relay way{server.port()};
  opened_there former{server.url()};
  former.settings().owner.where.url = "postgresql://app@127.0.0.1:" + std::to_string(way.port()) + "/postgres";
  former.settings().owner.limits = {std::chrono::milliseconds{500}, std::chrono::milliseconds{500}};
  former.settings().owner.take_lock_limit = std::chrono::milliseconds{200};
  former.settings().lease = std::chrono::seconds{3};
  former.reopen();
  CHECK_NOTHROW(former->expect_newest()); // it was taken just now
  REQUIRE(former.submit("a").created);
  const auto is_newest = [&] {
    try {
      former->expect_newest();
      return true;
    } catch (const store_error& e) {
      CHECK_FALSE(e.is_fatal());
      return false;
    }
  };
  const auto is_cut_off = [&] {
    way.freeze();
    return comes_true([&] { return !is_newest(); });
  };
  SECTION("it shows signs of life") {
    const auto later = std::chrono::steady_clock::now() + 3 * former.settings().lease / 2;
    while (std::chrono::steady_clock::now() < later) {
      CHECK(is_newest());
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }
  SECTION("nobody has taken it") {
    REQUIRE(is_cut_off());
    CHECK(former->find("a")); // for those who know that it may be old
    way.thaw();
    CHECK(goes_on(former, "c"));
    CHECK(is_newest());
    former->let_go();
    CHECK_FALSE(is_newest());
  }
  SECTION("another has") {
    REQUIRE(is_cut_off());
    opened_there next{server.url()};
    REQUIRE(next.submit("b").created);
    bool finds_b = false;
    try {
      finds_b = former->find("b").has_value();
    } catch (const store_error& e) { // it looks among the tasks that ended, too, if it has not tried in vain just now
      CHECK_FALSE(e.is_fatal());
    }
    CHECK_FALSE(finds_b);
    way.thaw();
    CHECK_THROWS_AS(former.submit("c"), store_error);
    CHECK_FALSE(is_newest());
  }
}

TEST_CASE("row 88: rows are brought up to date by the owner alone") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there former{server.url()};
  former.submit_large(30);
  opened_there next{server.url(), 1 << 20};
  REQUIRE(next.submit("b").created);
  former->save(); // it does not know yet, and begins to bring them up
  former->save();
  CHECK_THROWS_AS(former.submit("c"), store_error);
  CHECK(number_of(server, rows_there) == "0");
  CHECK(number_of(server, "count(*) from steadfast.kept_until") == "0");
  next.reopen();
  CHECK(next->list({}, {}, 100).tasks.size() == 31);
}

TEST_CASE("row 95: while rows cannot be brought up, the logs keep all, and later nothing is missing in the rows") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  const bool is_reopened = GENERATE(true, false); // which reads all that the logs have
  server.sql({"create sequence public.refused", "grant usage on public.refused to app",
              "create function public.refuse() returns trigger language plpgsql as"
              " $$ begin raise exception 'refused by the test, %', nextval('public.refused'); end $$",
              "create trigger refuse before insert on steadfast.kept_0 for each row execute function public.refuse()"});
  int last = 0;
  const auto work = [&] {
    store.submit_large(15, last + 1);
    last += 15;
    for (int i = 0; i < 3; ++i)
      store->save();
  };
  CHECK(comes_true([&] {
    work();
    return number_of(server, "last_value > 4 from public.refused") == "t";
  }));
  if (is_reopened)
    store.reopen();
  for (int i = 1; i <= last; ++i)
    REQUIRE(store->find("a" + std::to_string(i)));
  server.sql({"drop function public.refuse() cascade"});
  REQUIRE(comes_true([&] {
    work();
    return number_of(server, rows_there) != "0";
  }));
  CHECK(number_of(server, "count(*) from steadfast.kept_0 where in_table = 1 and key = 'format'") == "1");
  CHECK(comes_true([&] { // until the log of that time was emptied
    work();
    return number_of(server, "coalesce(min(commit_number), 0) > 4 from (select commit_number from steadfast.log_0_0"
                             " union all select commit_number from steadfast.log_0_1) l")
           == "t";
  }));
  store.reopen();
  for (int i = 1; i <= last; ++i)
    REQUIRE(store->find("a" + std::to_string(i)));
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 95: rows are not brought up from a memory that cannot be saved, and nothing is missing in them later") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.submit_large(15);
  {
    const file_limit limit{1000};
    for (int i = 0; i < 3; ++i)
      store->save();
  }
  CHECK(number_of(server, "count(*) from steadfast.kept_until") == "0");
  REQUIRE(comes_up(store, server));
  store.reopen();
  CHECK(store->list({}, {}, 100).tasks.size() == 15);
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 101: a task whose row is damaged is told of when its partition is taken, and the others go on") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.submit_large(30);
  REQUIRE(comes_up(store, server));
  damage_task(server, 2);
  damage_task(server, 25);
  REQUIRE(store.one(claim_tasks{"s1", 3, at(1)}).tasks.size() == 3); // of the first, the log has the change alone
  store.reopen();
  auto told = store->damaged();
  REQUIRE(told.size() == 2);
  CHECK(told[0].number == 2);
  CHECK(told[1].number == 25);
  CHECK_THAT(told[1].why, Catch::Contains("checksum"));
  CHECK(store->list({}, {}, 100).tasks.size() == 28);
  server.sql({"select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% partition 0'"});
  CHECK(goes_on(store, "b"));
  CHECK(store->damaged().size() == 2); // what was told may not have been written

  for (auto& one : told)
    REQUIRE(store.one(std::move(one)).result == write_status::applied);
  const auto alerts = store->alerts(true, 10);
  REQUIRE(alerts.size() == 2);
  CHECK(alerts[0].task_id == "a24");
  CHECK(alerts[1].task_id == "a1");
  CHECK(store->check().faults.empty());
  CHECK(store.one(claim_tasks{"s1", 100, at(1)}).tasks.size() == 27);
  store.reopen();
  CHECK(store->damaged().empty());
  CHECK(store->damage_of("a24"));
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 101: tasks whose workflow is damaged go on when its definition is there again") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.submit_large(15);
  REQUIRE(comes_up(store, server));
  server.sql({"update steadfast.kept_0 set value = set_byte(value, 20, get_byte(value, 20) # 4) where in_table = 2"});
  REQUIRE(store.one(claim_tasks{"s1", 2, at(1)}).tasks.size() == 2);
  store.reopen();
  CHECK(store->list({}, {}, 100).tasks.empty());
  REQUIRE(store.one(register_definition{delivery()}).result == write_status::applied);
  CHECK(store.one(claim_tasks{"s2", 100, at(1)}).tasks.size() == 13);
  CHECK(store->list({}, {}, 100).tasks.size() == 15);
  CHECK(store->check().faults.empty());
  REQUIRE(store.one(free_locks{"s1", 100, true, at(2)}).result == write_status::applied);
  CHECK(store.one(claim_tasks{"s3", 100, at(60)}).tasks.size() == 2);
}

TEST_CASE("row 96: a forgotten transaction holds nobody up for long, and the tables are bounded once it is gone") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server{"autovacuum = off\n"}; // the test says when
  make_store(server.url());
  opened_there store{server.url()};
  std::int64_t second = 0;
  std::chrono::steady_clock::duration longest{};
  const auto write = [&] { // the same row each time
    std::string note(60'000, ' ');
    auto chance = ++second; // what repeats itself would be compressed
    for (auto& letter : note)
      letter = static_cast<char>('!' + (chance = chance * 75 % 65'537) % 90);
    const auto begun = std::chrono::steady_clock::now();
    REQUIRE(store.one(acquire_lease{"l", "n1", note, workflow::span{60'000}, at(second)}).result
            == write_status::applied);
    store->save();
    longest = std::max(longest, std::chrono::steady_clock::now() - begun);
  };
  const auto work = [&](int times) { // so often are the rows brought up to date
    const auto until = [&] { return number_of(server, "max(commit_number) from steadfast.kept_until"); };
    for (int i = 0; i < times; ++i) {
      REQUIRE(comes_true([&, before = until()] {
        write();
        return until() != before;
      }));
      server.sql({"vacuum steadfast.kept_0"});
    }
  };
  const auto bytes_of = [&](const std::string& tables) {
    return std::stoll(number_of(
      server, "sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relname ~ '^" + tables + "_0'"));
  };
  work(3);
  const auto rows = bytes_of("kept");
  const auto logs = bytes_of("log");
  {
    const forgotten_transaction held{
      server,
      {"begin isolation level repeatable read", "select count(*) from steadfast.kept_0",
       "lock table steadfast.kept_0, steadfast.log_0_0, steadfast.log_0_1 in access share mode"}}; // as a dump does
    longest = {};
    work(8);
    CHECK(longest < std::chrono::seconds{5});
  }
  const auto rows_held = bytes_of("kept");
  const auto logs_held = bytes_of("log");
  CHECK(rows_held > rows + 250'000); // else it shows nothing
  CHECK(logs_held > logs + 250'000);
  work(8);
  CHECK(bytes_of("kept") <= rows_held);
  CHECK(bytes_of("log") < logs_held);
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 70: a partition that was written in another format is refused by name") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.submit_large(30);
  REQUIRE(comes_up(store, server));
  std::ostringstream hex;
  for (const char c : std::string{encode_record(format_key, format_record{store_format + 1})})
    hex << std::hex << std::setw(2) << std::setfill('0') << int{static_cast<unsigned char>(c)};
  server.sql({"update steadfast.kept_0 set value = '\\x" + hex.str() + "' where in_table = 1 and key = 'format'"});
  CHECK_THROWS_WITH(store.reopen(), Catch::Contains("run the newer version"));
}

TEST_CASE("row 92: while the server or its standby is away nothing is told as made, all can be read, and it goes on") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const bool is_killed = GENERATE(true, false);
  INFO((is_killed ? "the server is killed" : "its standby is gone"));
  postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.settings().owner.limits = {std::chrono::milliseconds{500}, std::chrono::milliseconds{500}};
  store.settings().owner.take_lock_limit = std::chrono::milliseconds{200};
  store.settings().lease = std::chrono::hours{1}; // else a sign of life may be what finds out first
  store.reopen();
  REQUIRE(goes_on(store, "a"));                                      // and not saved
  REQUIRE(comes_true([&] { return store->ended().has_all_ids(); })); // else each new id is asked for
  if (is_killed)
    server.kill();
  else
    server.set("synchronous_standby_names", "nobody");
  CHECK(store->commit(std::vector<store::write>{submit_task{order("b"), at(0)}}).front().result
        == write_status::unknown_outcome);
  CHECK_THROWS_AS(store.submit("c"), store_error);
  CHECK(store->find("a"));
  CHECK_FALSE(store->find("b"));
  if (is_killed)
    server.start();
  else
    server.set("synchronous_standby_names", "");
  CHECK(goes_on(store, "d"));
  CHECK(store->find("b").has_value() != is_killed); // the other one was made, and waited for its standby
  CHECK(goes_on(store, "b"));
  CHECK_FALSE(store->find("c"));
  CHECK(store->list({}, {}, 10).tasks.size() == 3);
}

TEST_CASE("row 86: who has read a partition before he takes it has all that is in it then") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 1);
  const temp_folder first_folder;
  const temp_folder second_folder;
  const auto settings = [&](const std::string& name, const temp_folder& folder) {
    postgres_store_settings s;
    s.owner = owner(server.url(), name);
    s.limits = small_options(folder.path() / "memory");
    s.log_max = 1; // the rows are brought up at each chance
    return s;
  };
  const auto submit = [](postgres_engine& to, const std::string& id) {
    return to.commit_one(submit_task{order(id), at(0)}).result;
  };
  auto first =
    std::make_unique<postgres_engine>(settings("n1", first_folder), seen(server.url()), std::chrono::steady_clock::now);
  REQUIRE(first->commit_one(register_definition{delivery()}).result == write_status::applied);
  REQUIRE(submit(*first, "in_rows") == write_status::applied);
  first->save();
  first->prepare_to_let_go([](auto time) {
    std::this_thread::sleep_for(time);
    return true;
  });
  REQUIRE(submit(*first, "in_log") == write_status::applied);
  auto second = std::make_unique<postgres_engine>(settings("n2", second_folder), std::chrono::steady_clock::now);
  CHECK(second->find("in_log"));
  CHECK_THROWS_AS(second->expect_newest(), store_error); // the owner may have changed it
  const auto is_used = GENERATE(true, false);
  REQUIRE(submit(*first, "later") == write_status::applied);
  if (is_used)
    first->let_go();
  else
    server.sql({"update steadfast.partition_owner set epoch = epoch + 1, holder = ''"}); // it was read for nothing
  second->take(seen(server.url()));
  for (const auto* id : {"in_rows", "in_log", "later"})
    CHECK(second->find(id));
  CHECK(second->counts().claimable == 3);
  CHECK(submit(*second, "later") == write_status::applied); // the same again is the same task
  CHECK(submit(*second, "own") == write_status::applied);
  CHECK(second->counts().claimable == 4);
  second->save();
  CHECK(second->check().faults.empty());
  first.reset();
  second.reset();
  const postgres_engine third{settings("n3", second_folder), seen(server.url()), std::chrono::steady_clock::now};
  CHECK(third.counts().claimable == 4);
}

TEST_CASE("row 86: an owner shows that he lives while he reads what is there") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), std::size_t{1} << 30U}; // all of it is in the log: nothing is read in parts
  constexpr int tasks = 6000;
  for (int i = 0; i < tasks; i += 500) {
    std::vector<store::write> all;
    for (int k = i; k < i + 500; ++k)
      all.emplace_back(submit_task{order("a" + std::to_string(k), std::string(500, 'x')), at(0)});
    REQUIRE(store->commit(all).back().result == write_status::applied);
  }
  const auto before = store->known().commit;
  store.settings().lease = std::chrono::milliseconds{9};
  store.reopen();
  CHECK(store->known().commit > before + 1);
  CHECK(store->counts().claimable == tasks);
}

TEST_CASE("row 86: an owner shows that he lives while he decides a batch that takes long") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url()};
  store.settings().lease = std::chrono::milliseconds{9};
  store.reopen();
  std::vector<store::write> all;
  for (int i = 0; i < 6000; ++i)
    all.emplace_back(submit_task{order("a" + std::to_string(i), std::string(500, 'x')), at(0)});
  const auto before = store->known().commit;
  REQUIRE(store->commit(all).back().result == write_status::applied);
  CHECK(store->known().commit > before + 4); // one or two signs may come before the batch, and one commit is its own
}

TEST_CASE("row 86: who has read a partition before one owner lets it go is not ready for what the next one wrote") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 1);
  const auto first = owned(owner(server.url(), "n1"));
  const auto leaving =
    postgres::connection::open(first->settings().where, postgres::name_of_leaving("steadfast", 0), {},
                               std::chrono::steady_clock::now); // as of every owner here
  const auto is_ready_since = [&](const std::string& moment) {
    return number_of(server,
                     "count(*) from pg_stat_activity where application_name = 'steadfast is ready for steadfast'"
                     " and backend_start > '"
                       + moment + "'")
           == "1";
  };
  const temp_folder folder;
  std::atomic<bool> has_seen_all = false;
  postgres_store_options o;
  o.where = first->settings().where;
  o.holder = "n3";
  o.limits = small_options(folder.path());
  const auto look_again = [&](auto, const no_turn&) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    return !has_seen_all;
  };
  auto waits =
    std::async(std::launch::async, [&] { return open_postgres_store(o, std::chrono::steady_clock::now, look_again); });
  CHECK(comes_true([&] { return is_ready_since("2000-01-01"); }));
  const auto second = owned(owner(server.url(), "n2"));
  const auto taken_at = number_of(server, "clock_timestamp()");
  CHECK(comes_true([&] { return is_ready_since(taken_at); }));
  has_seen_all = true;
  CHECK(waits.get().empty());
}
