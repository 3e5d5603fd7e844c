// `steadfast store move`: from files to a server and back.

#include "store/joined/joined_store.hpp"
#include "store/journal/moved.hpp"
#include "store/partitions/postgres_store.hpp"
#include "store/postgres/schema.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"
#include "tests/unit/store/random_writes.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

using all_rows = std::map<std::pair<std::string, std::string>, std::string>;

/// What is in all tables of a store in files, but for what belongs to the files themselves.
all_rows rows_in(const std::filesystem::path& folder) {
  auto options = small_options(folder);
  options.read_only = true;
  all_rows found;
  lmdb_engine{options}.look([&](const lmdb::transaction& txn, const tables& in) {
    for (const auto& t : all_tables) {
      lmdb::cursor c{txn, in.*t.table};
      for (bool more = c.first(); more; more = c.next())
        found[{t.name, std::string{c.key()}}] = c.value();
    }
  });
  found.erase({"meta", "journal"});
  return found;
}

/// Why a node does not start on it; empty: it does.
std::string why_no_start(const std::filesystem::path& folder) {
  try {
    const lmdb_engine opened{small_options(folder)};
    return {};
  } catch (const store_error& e) {
    return e.what();
  }
}

/// The same of a store on a server.
std::string why_no_start(const std::string& url) {
  auto c = postgres::connection::open({url, {}, "steadfast"}, "test", {}, std::chrono::steady_clock::now);
  return postgres::why_not_usable(postgres::find_store(c, "steadfast"), "steadfast");
}

/// Tasks in all states, with payloads, as random writes leave them, and many more.
void make_full_store(const std::filesystem::path& folder, int more) {
  struct in_files {
    store_options options;
    std::unique_ptr<lmdb_engine> engine;

    void reopen() {
      engine.reset();
      engine = std::make_unique<lmdb_engine>(options);
    }
    lmdb_engine* operator->() { return engine.get(); }
  } store{small_options(folder), nullptr};
  store.reopen();
  store->commit({register_definition{delivery()}});
  random_writes{7, store}.run(100);
  for (int i = 0; i < more; ++i)
    REQUIRE(store->commit_one(submit_task{order("more-" + std::to_string(i), std::string(3000, 'x')), at(0)}).created);
}

void must(const decision& d) {
  INFO(d.why);
  REQUIRE(d.result == write_status::applied);
}

/// The attempt at its first step succeeds.
template <class Store>
void end_well(Store& store, const std::string& id) {
  INFO(id);
  const auto t = store.find(id).value();
  const auto d = store.find_definition(t.workflow, t.version).value();
  const workflow::attempt_succeeded e{{0, t.steps[0].attempt, t.lock_epoch}, workflow::blob{"1"}, {}};
  must(store.commit_one(update_by(t, d, e, at(2))));
}

workflow::step_definition waiting_step(const std::string& name, workflow::wait_rule::kind what,
                                       const std::string& pointer) {
  workflow::step_definition s;
  s.name = name;
  s.wait.emplace();
  s.wait->what = what;
  s.wait->at.pointer = pointer;
  s.wait->length = std::chrono::hours{1};
  return s;
}

workflow::definition named(const std::string& name, const workflow::step_definition& step) {
  workflow::definition d;
  d.name = name;
  d.steps = {step};
  return d;
}

/// Of what a store keeps besides tasks: a schedule; `parent` with a child and `many` with items, which are at work; an
/// event of the id `e-1` that nobody has taken, and `told`, which waits for another; `done`, which keeps the only place
/// of its key until an hour after it began, and `next`, which waits for it.
template <class Store>
void make_all_kinds(Store& store) {
  using kind = workflow::wait_rule::kind;
  auto step = workflow::step_definition{};
  step.name = "do";
  step.agent = "worker";
  auto limited = named("limited", step);
  limited.limit = workflow::limit_rule{"/key", 1, std::chrono::hours{1}};
  auto child = waiting_step("child", kind::child, "");
  child.wait->name = "work";
  auto items = waiting_step("items", kind::items, "/items");
  items.agent = "worker";
  items.wait->at_a_time = 2;
  auto event = waiting_step("wait", kind::event, "/key");
  event.wait->name = "paid";
  for (const auto& d :
       {limited, named("work", step), named("parent", child), named("many", items), named("told", event)})
    must(store.commit_one(register_definition{d}));
  workflow::schedule hourly;
  hourly.name = "hourly";
  hourly.workflow = "work";
  hourly.every = std::chrono::hours{1};
  must(store.commit_one(put_schedule{hourly, {}, at(0)}));
  const std::vector<std::pair<std::string, std::string>> tasks{
    {"done", "limited"}, {"next", "limited"}, {"parent", "parent"}, {"many", "many"}, {"told", "told"}};
  for (const auto& [id, workflow] : tasks) {
    workflow::submission s;
    s.id = id;
    s.workflow = workflow;
    s.payload = workflow::blob{R"({"key":"k","items":[1,2,3,4]})"};
    must(store.commit_one(submit_task{s, at(0)}));
  }
  must(store.commit_one(claim_tasks{"s1", 100, at(1)}));
  must(store.commit_one(claim_tasks{"s1", 100, at(1)})); // those that these began
  end_well(store, "done");
  send_event e;
  e.name = "paid";
  e.key = "later";
  e.data = "1";
  e.id = "e-1";
  e.keep_for = std::chrono::hours{1};
  e.now = at(2);
  must(store.commit_one(e));
}

/// That all of it goes on where it was.
template <class Store>
void expect_all_kinds(Store& store) {
  send_event e;
  e.name = "paid";
  e.key = "later";
  e.data = "1";
  e.id = "e-1";
  e.now = at(3);
  CHECK(store.commit_one(e).again);
  e.data = "2";
  CHECK(store.commit_one(e).result == write_status::refused);
  e.key = "k";
  e.id = "e-2";
  CHECK(store.commit_one(e).taken == 1);
  for (const auto* id : {"parent/child", "many/items/0", "many/items/1"})
    end_well(store, id);
  must(store.commit_one(claim_tasks{"s1", 100, at(4)}));
  must(store.commit_one(claim_tasks{"s1", 100, at(4)}));
  for (const auto* id : {"many/items/2", "many/items/3"})
    end_well(store, id);
  must(store.commit_one(claim_tasks{"s1", 100, at(5)}));
  for (const auto* id : {"told", "parent", "many"})
    CHECK(store.find(id)->state == workflow::process_state::processed);
  must(store.commit_one(claim_tasks{"s1", 100, at(3600)}));
  CHECK(store.find("next")->state == workflow::process_state::pending);
  must(store.commit_one(claim_tasks{"s1", 100, at(3601)}));
  CHECK(store.find("next")->state == workflow::process_state::processing);
  CHECK(store.commit_one(fire_schedules{10, {}, at(2800)}).made == 1);
  CHECK(store.check().faults == std::vector<std::string>{});
}

std::vector<std::string> move_command(const std::string& which, const std::filesystem::path& folder,
                                      const std::string& url) {
  return {"store", "move", which, folder.string(), "--url", url, "--json"};
}

program_end move(const std::string& which, const std::filesystem::path& folder, const std::string& url) {
  return run_program(STEADFAST_BINARY, move_command(which, folder, url));
}

/// Killed later each time, until it comes to its end. How often it was killed.
int move_with_kills(const std::vector<std::string>& command, const std::function<void()>& after_a_kill) {
  int kills = 0;
  for (std::chrono::milliseconds time{10};; time += time / 4 + std::chrono::milliseconds{5}) {
    running_program mover{STEADFAST_BINARY, command};
    if (const auto code = mover.wait(time)) {
      INFO(mover.err());
      REQUIRE(*code == 0);
      return kills;
    }
    mover.signal(SIGKILL);
    REQUIRE(mover.wait(hang_limit));
    ++kills;
    after_a_kill();
  }
}

std::shared_ptr<local_store> opened(const postgres_server& server, const temp_folder& folder) {
  postgres_store_options o;
  o.where.url = server.url();
  o.holder = "n1";
  o.limits = small_options(folder.path() / "memory");
  return as_one(open_postgres_store(o, std::chrono::steady_clock::now,
                                    [](std::chrono::milliseconds, const no_turn&) { return true; }));
}

} // namespace

TEST_CASE("what was moved to a server and back is the same in every row, and no node works on what was left behind") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto before = folder.path() / "before";
  const auto after = folder.path() / "after";
  make_full_store(before, 10);
  const auto rows = rows_in(before);
  auto end = move("--from", before, server.url());
  REQUIRE(end.code == 0);
  const auto told = nlohmann::json::parse(end.out);
  CHECK(told.at("tasks") > 10);
  CHECK_THAT(told.at("moved_to").get<std::string>(), Contains("the schema steadfast at 127.0.0.1"));
  CHECK_THAT(why_no_start(before), Contains("was moved to the schema steadfast at 127.0.0.1"));
  CHECK(why_no_start(server.url()).empty());
  CHECK(run_program(STEADFAST_BINARY, {"store", "check", "--store", before.string()}).code == 0); // to look is free
  CHECK(rows_in(before) == rows);

  end = move("--from", before, server.url()); // again
  CHECK(end.code == 0);
  CHECK(nlohmann::json::parse(end.out).at("rows") == 0);
  end = move("--to", before, server.url());
  CHECK(end.code == 73);
  CHECK_THAT(end.err, Contains("is there already"));

  end = move("--to", after / "", server.url());
  INFO(end.err);
  REQUIRE(end.code == 0);
  CHECK(rows_in(after) == rows);
  CHECK(why_no_start(after).empty());
  CHECK_THAT(why_no_start(server.url()), Contains("was moved to " + after.string()));
  CHECK_THAT(move("--to", folder.path() / "twice", server.url()).err, Contains("was moved to " + after.string()));
  CHECK_THAT(move("--from", after, server.url()).err, Contains("was moved to " + after.string()));
  CHECK(why_no_start(after).empty());
}

TEST_CASE("a move takes along schedules, families, items, events with ids and places that are kept") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto before = folder.path() / "before";
  const auto after = folder.path() / "after";
  {
    lmdb_engine store{small_options(before)};
    make_all_kinds(store);
  }
  const auto rows = rows_in(before);
  for (const std::string table : {"schedules", "item_groups", "items", "events", "event_ids", "event_waits",
                                  "limit_places", "limit_waits", "limit_holds"}) {
    INFO(table);
    CHECK(std::any_of(rows.begin(), rows.end(), [&](const auto& r) { return r.first.first == table; }));
  }
  REQUIRE(move("--from", before, server.url()).code == 0);
  const bool goes_back = GENERATE(true, false);
  if (goes_back) {
    REQUIRE(move("--to", after, server.url()).code == 0);
    CHECK(rows_in(after) == rows);
    lmdb_engine store{small_options(after)};
    expect_all_kinds(store);
    return;
  }
  expect_all_kinds(*opened(server, folder));
}

TEST_CASE("a moved store goes on as one that was never moved") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto before = folder.path() / "before";
  make_full_store(before, 10);
  REQUIRE(move("--from", before, server.url()).code == 0);
  std::uint64_t number = 0;
  for (const auto* id : {"new-1", "new-2"}) {
    const auto store = opened(server, folder);
    CHECK(store->commit_one(submit_task{order("more-3", std::string(3000, 'x')), at(0)}).created == false);
    const auto made = store->commit_one(submit_task{order(id), at(0)});
    CHECK(made.created);
    CHECK(made.number > number);
    number = made.number;
    CHECK(store->check().faults == std::vector<std::string>{});
  }
}

TEST_CASE("row 104: a move that is killed at any moment is gone on with, and only one of the two is ever worked on") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto before = folder.path() / "before";
  const auto after = folder.path() / "after";
  make_full_store(before, 800);
  const auto rows = rows_in(before);
  const auto there = move_with_kills(move_command("--from", before, server.url()), [&] {
    CHECK_FALSE((why_no_start(before).empty() && why_no_start(server.url()).empty()));
    CHECK(rows_in(before) == rows);
  });
  CHECK(there > 3);
  CHECK_FALSE(why_no_start(before).empty());
  CHECK(why_no_start(server.url()).empty());

  const auto back = move_with_kills(move_command("--to", after, server.url()), [&] {
    CHECK(std::filesystem::exists(after)
          == (why_no_start(server.url()).find("was moved") != std::string::npos
              && !std::filesystem::exists(after.string() + ".moving")));
    server.sql({"select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'steadfast%'",
                "update steadfast.partition_owner set holder = ''"}); // so that nobody waits for the lease
  });
  CHECK(back > 3);
  CHECK_FALSE(why_no_start(server.url()).empty());
  CHECK(why_no_start(after).empty());
  CHECK(rows_in(after) == rows);
}

TEST_CASE("row 104: while it is not known whether a store was moved, no node starts on it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto before = folder.path() / "before";
  make_full_store(before, 1);
  {
    const forgotten_transaction holds_it_up{server, {"begin", "create table steadfast.store (x int)"}};
    running_program mover{STEADFAST_BINARY, move_command("--from", before, server.url())};
    CHECK(comes_true([&] {
      return server.sql({"select count(*) from pg_stat_activity where application_name = 'steadfast steadfast move'"
                         " and wait_event_type = 'Lock'"})
             == "1";
    }));
    mover.signal(SIGKILL);
    REQUIRE(mover.wait(hang_limit));
  }
  CHECK_THAT(why_no_start(before), Contains("may have been moved to the schema steadfast at 127.0.0.1"));
  CHECK(move("--from", before, server.url()).code == 0);
  CHECK_THAT(why_no_start(before), Contains("was moved to"));
}

TEST_CASE("a store that cannot be moved stays where it is, and nothing is made on the server") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto before = folder.path() / "before";
  make_full_store(before, 1);
  auto options = small_options(before);
  SECTION("a store is there already") {
    make_store(server.url(), 1);
    const auto end = move("--from", before, server.url());
    CHECK(end.code == 73);
    CHECK_THAT(end.err, Contains("there is a store in the schema steadfast already"));
  }
  SECTION("a node has it") {
    const lmdb_engine node{options};
    CHECK_THAT(move("--from", before, server.url()).err, Contains("is in use by process"));
  }
  SECTION("there is none") {
    CHECK_THAT(move("--from", folder.path() / "none", server.url()).err, Contains("there is no store at"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "none"));
  }
  SECTION("a record is damaged") {
    options.read_only = false;
    {
      std::fstream file{before / "data.mdb", std::ios::in | std::ios::out | std::ios::binary};
      std::string bytes{std::istreambuf_iterator<char>{file}, {}};
      const auto at = bytes.rfind(std::string(2000, 'x'));
      REQUIRE(at != std::string::npos);
      file.clear();
      file.seekp(static_cast<std::streamoff>(at));
      file.put('y');
    }
    CHECK_THAT(move("--from", before, server.url()).err, Contains("so nothing was moved"));
  }
  SECTION("the role may not make tables") {
    server.sql({"alter schema steadfast owner to postgres"});
    CHECK_THAT(move("--from", before, server.url()).err, Contains("PostgreSQL did not take it: permission denied"));
  }
  SECTION("neither or both folders are named") {
    CHECK(run_program(STEADFAST_BINARY, {"store", "move", "--url", server.url()}).code == 64);
    CHECK(run_program(STEADFAST_BINARY, {"store", "move", "--from", "a", "--to", "b", "--url", server.url()}).code
          == 64);
  }
  CHECK(why_no_start(before).find("moved") == std::string::npos);
  CHECK_FALSE(mark_of_move(before));
}
