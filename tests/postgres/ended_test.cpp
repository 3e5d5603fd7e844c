// Tasks that ended well leave the memory of a store on PostgreSQL, and nobody can tell.

#include "store/partitions/postgres_store.hpp"
#include "store/postgres/schema.hpp"
#include "tests/postgres/opened_there.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

/// A new task that ends well, with a large result.
void end_task(opened_there& store, const std::string& id, const std::string& payload = "{}") {
  REQUIRE(store.submit(id, payload).created);
  auto t = store.one(claim_tasks{"s1", 1, at(1)}).tasks.at(0);
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(store.one(success_of(t, i, i == 0 ? std::string(600, 'r') : "{}", 2 + std::stoi(id.substr(1)))).result
            == write_status::applied);
    t = *store->find(t.number);
  }
  REQUIRE(t.state == workflow::process_state::processed);
}

/// t0, t1 and so on.
void end_tasks(opened_there& store, int count, int from = 0) {
  for (int i = from; i < from + count; ++i)
    end_task(store, "t" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}");
}

/// So much that the rows are brought up.
void write_much(opened_there& store) {
  static int last = 0;
  for (int i = 0; i < 12; ++i)
    REQUIRE(store.one(submit_task{order("much-" + std::to_string(++last), std::string(2000, 'x')), at(0)}).created);
}

/// Until only so many tasks are in memory.
bool leave_down_to(opened_there& store, std::uint64_t tasks) {
  return comes_true([&] {
    store->save();
    return store->tasks_in_memory() <= tasks;
  });
}

task_filter in_states(std::vector<workflow::process_state> states) {
  task_filter f;
  f.states = std::move(states);
  return f;
}

/// Brings the rows up, by which those that can leave the memory leave it.
void let_leave(opened_there& store, const postgres_server& server) {
  const auto before = store->known().commit;
  write_much(store);
  REQUIRE(comes_true([&] {
    store->save();
    if (number_of(server, "coalesce(max(commit_number), 0) >= " + std::to_string(before) + " from steadfast.kept_until")
        != "t")
      return false;
    const auto ended =
      store->list(in_states({workflow::process_state::processed, workflow::process_state::undone}), {}, 400)
        .tasks.size();
    std::uint64_t all = 0;
    for (const auto& [state, n] : store->counts().tasks)
      all += n;
    return store->tasks_in_memory() + ended == all;
  }));
}

workflow::task act(opened_there& store, const std::string& id, const workflow::event& e) {
  const auto t = store->find(id);
  REQUIRE(t);
  REQUIRE(store.one(update_by(*t, delivery(), e, at(500))).result == write_status::applied);
  return *store->find(id);
}

std::vector<std::string> ids_of(const task_page& page) {
  std::vector<std::string> ids;
  for (const auto& t : page.tasks)
    ids.push_back(t.id);
  return ids;
}

/// All that match, by pages of that size.
std::vector<std::string> all_ids(opened_there& store, const task_filter& f, std::size_t max) {
  std::vector<std::string> ids;
  std::optional<std::uint64_t> before;
  do {
    const auto page = store->list(f, before, max);
    for (auto& id : ids_of(page))
      ids.push_back(std::move(id));
    before = page.next;
  } while (before);
  return ids;
}

} // namespace

TEST_CASE("what ended well leaves the memory, and is found, listed and counted as before, also after a takeover") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 7);
  REQUIRE(store.submit("living").created);
  const auto before = *store->find("t3");
  const auto exported = store->export_task("t3");
  const auto how_many = store->counts().tasks;
  let_leave(store, server);
  for (int round = 0; round < 2; ++round) {
    INFO("round " << round);
    CHECK(store->tasks_in_memory() == 13); // `living` and those that wait
    CHECK(number_of(server, "count(distinct ended) from steadfast.kept_0") == "7");
    CHECK(*store->find("t3") == before);
    CHECK(*store->find(before.number) == before);
    CHECK(store->export_task("t3")->digest == exported->digest);
    CHECK_FALSE(store->damage_of("t3"));
    CHECK_FALSE(store->find("t33"));
    CHECK_FALSE(store->find(4711));
    CHECK(store->counts().tasks[workflow::process_state::processed] == how_many.at(workflow::process_state::processed));
    task_filter ended;
    ended.states = {workflow::process_state::processed};
    const std::vector<std::string> newest_first{"t6", "t5", "t4", "t3", "t2", "t1", "t0"};
    CHECK(ids_of(store->list(ended, {}, 100)) == newest_first);
    CHECK(all_ids(store, ended, 2) == newest_first);
    CHECK(all_ids(store, {}, 3).size() == 20);
    CHECK(store->count_part(ended, {}).matched == 7);
    ended.text = "t5";
    CHECK(ids_of(store->list(ended, {}, 100)) == std::vector<std::string>{"t5"});
    CHECK(store->count_part(ended, {}).matched == 1);
    ended = {};
    ended.ended_after = at(5);
    CHECK(ids_of(store->list(ended, {}, 100)) == std::vector<std::string>{"t6", "t5", "t4"});
    CHECK(store->check().faults == std::vector<std::string>{});
    store.reopen();
  }
}

TEST_CASE("P44: an id whose task has left the memory is answered as before: the same again, or a conflict") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 3);
  let_leave(store, server);
  const auto number = store->find("t1")->number;
  const auto tasks = store->tasks_in_memory();
  const auto again = store.submit("t1", R"({"n":1})");
  CHECK(again.result == write_status::applied);
  CHECK_FALSE(again.created);
  CHECK(again.number == number);
  CHECK(again.state == workflow::process_state::processed);
  CHECK(store.submit("t2", "another").result == write_status::refused);
  CHECK(store->tasks_in_memory() == tasks + 2);
  CHECK(all_ids(store, {}, 100).size() == 15);
  CHECK(store->check().faults == std::vector<std::string>{});
  let_leave(store, server); // they leave again
  CHECK(store->tasks_in_memory() == 24);
  CHECK(store->check().faults == std::vector<std::string>{});
  store.reopen();
  CHECK(store.submit("t1", R"({"n":1})").number == number); // before or after it has read which ids there are
  CHECK(store.submit("t0", "another").result == write_status::refused);
}

TEST_CASE("P45: a moment whose task has left the memory makes no second one, also after a takeover") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  workflow::schedule s;
  s.name = "t1";
  s.workflow = "delivery";
  s.every = std::chrono::hours{1};
  s.rule = workflow::overlap::allow;
  REQUIRE(store.one(put_schedule{s, {}, at(0)}).changed);
  end_task(store, workflow::task_id_of("t1", at(2800))); // somebody submitted it before
  let_leave(store, server);
  const auto tasks = store->tasks_in_memory();
  const auto fired = store.one(fire_schedules{10, {}, at(2800)});
  CHECK(fired.result == write_status::applied);
  CHECK(fired.made == 0);
  CHECK(store->tasks_in_memory() == tasks + 1); // it was looked at
  CHECK(store->find_schedule("t1")->notes.back().fate == workflow::moment_fate::made);
  store.reopen();
  CHECK(store.one(fire_schedules{10, {}, at(2801)}).made == 0);
  CHECK(store.one(fire_schedules{10, {}, at(2800 + 3600)}).made == 1);
  CHECK(store->find(workflow::task_id_of("t1", at(2800 + 3600))));
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE(
  "row 140: a step starts no task, nor an item, whose id one has that has left the memory, also after a takeover") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  const bool is_item = GENERATE(false, true);
  workflow::definition trip;
  trip.name = "trip";
  trip.steps.emplace_back();
  trip.steps.front().name = "order";
  auto& wait = trip.steps.front().wait.emplace();
  wait.what = is_item ? workflow::wait_rule::kind::items : workflow::wait_rule::kind::child;
  wait.name = "delivery";
  wait.at_a_time = 1;
  REQUIRE(store.one(register_definition{trip}).result == write_status::applied);
  const std::string id = is_item ? "t1/order/0" : "t1/order";
  end_task(store, id);
  const auto number = store->find(id)->number;
  let_leave(store, server);
  if (GENERATE(false, true))
    store.reopen();
  workflow::submission parent;
  parent.id = "t1";
  parent.workflow = "trip";
  parent.payload = workflow::blob{std::string{"[{}]"}};
  REQUIRE(store.one(submit_task{parent, at(100)}).created);
  while (!store.one(claim_tasks{"s1", 100, at(101)}).tasks.empty()) {
  }
  CHECK(store->find(id)->number == number);
  CHECK_THAT(store->find("t1")->cause, Contains("another task has the id `" + id + "`"));
  auto ids = all_ids(store, {}, 100);
  CHECK(std::count(ids.begin(), ids.end(), id) == 1);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a person undoes a task that has left the memory, over takeovers at any time") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 4);
  let_leave(store, server);
  const bool is_kept = GENERATE(false, true); // the rows are brought up before the takeover
  const auto undoing = act(store, "t2", workflow::undo_requested{{"ann", "because"}});
  CHECK(undoing.state == workflow::process_state::undoing);
  if (is_kept)
    let_leave(store, server);
  store.reopen();
  CHECK(*store->find("t2") == undoing);
  CHECK(store->check().faults == std::vector<std::string>{});
  task_filter ended;
  ended.states = {workflow::process_state::processed};
  CHECK(ids_of(store->list(ended, {}, 100)) == std::vector<std::string>{"t3", "t1", "t0"});
  CHECK(store->counts().tasks[workflow::process_state::processed] == 3);
  let_leave(store, server);
  CHECK(number_of(server, "count(distinct ended) from steadfast.kept_0") == "3");
  CHECK(number_of(server, "count(*) from steadfast.kept_0 where in_table = 19") == "3");
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 118: a node that dies between the marks and the leaving, or before, loses and doubles no task") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  store.settings().limits.recent_ids_max = 1000; // the memory has ids in another table than the marked rows
  store.reopen();
  end_tasks(store, 4);
  write_much(store);
  store->save();                                                                   // begins to mark them
  REQUIRE(comes_true([&] { return number_of(server, ended_rows_there) != "0"; })); // they are, and have not left
  CHECK(all_ids(store, {}, 100).size() == 16);
  const bool has_changed = GENERATE(false, true);
  if (has_changed) {
    act(store, "t1", workflow::undo_requested{{"ann", "because"}});
    REQUIRE(store.one(purge_ended{"delivery", {{}, 2}, 1, {}, at(900)}).purged == 1); // t0
  }
  const std::size_t left = has_changed ? 15 : 16;
  CHECK(all_ids(store, {}, 100).size() == left);
  const bool dies = GENERATE(false, true);
  if (dies)
    store.reopen();
  else
    REQUIRE(leave_down_to(store, has_changed ? 13 : 12));
  CHECK(all_ids(store, {}, 100).size() == left);
  CHECK(store->find("t0").has_value() != has_changed);
  CHECK((store->find("t1")->state == workflow::process_state::undoing) == has_changed);
  CHECK(store->tasks_in_memory() <= 13);
  CHECK(store->check().faults == std::vector<std::string>{});
  let_leave(store, server);
  CHECK(all_ids(store, {}, 100).size() == left + 12);
  CHECK(store->find("t0").has_value() != has_changed);
  CHECK(number_of(server, "count(distinct ended) from steadfast.kept_0") == (has_changed ? "2" : "4"));
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 118: marks of which it is not known whether they were made let no task leave the memory") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  // a warning at the commit, as of a server that gave up waiting for its standby
  server.sql({"create function public.warn() returns trigger language plpgsql as"
              " $$ begin raise warning 'as if the standby was given up'; return null; end $$",
              "create constraint trigger warn after insert or update on steadfast.kept_until initially deferred"
              " for each row execute function public.warn()"});
  end_tasks(store, 3);
  write_much(store);
  REQUIRE(comes_true([&] {
    store->save();
    return number_of(server, ended_rows_there) != "0";
  }));
  for (int i = 0; i < 50; ++i) {
    store->save();
    CHECK(store->tasks_in_memory() >= 15);
  }
  CHECK(all_ids(store, {}, 100).size() == store->tasks_in_memory());
  const auto undoing = act(store, "t1", workflow::undo_requested{{"ann", "because"}});
  CHECK(*store->find("t1") == undoing);
  server.sql({"drop function public.warn() cascade"});
  let_leave(store, server);
  CHECK(number_of(server, "count(distinct ended) from steadfast.kept_0") == "2");
  CHECK(*store->find("t1") == undoing);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 119: a server that cannot tell, or is behind the marks, is never taken for one that has no such task") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 3);
  REQUIRE(store.submit("living").created);
  let_leave(store, server);
  const auto cannot = [&] {
    CHECK_THROWS_WITH(store->find("t1"), Contains("cannot be looked up now"));
    CHECK_THROWS_WITH(store->list({}, {}, 100), Contains("cannot be looked up now"));
    CHECK_THROWS_AS(store.submit("t1"), store_error);
    CHECK(store->find("living"));
    CHECK_FALSE(store->find("nobody"));
    task_filter living;
    living.states = {workflow::process_state::pending};
    CHECK(store->list(living, {}, 100).tasks.size() == 13);
  };
  server.sql({"update steadfast.kept_until set commit_number = commit_number - 1"});
  cannot();
  server.sql({"update steadfast.kept_until set commit_number = commit_number + 1"});
  CHECK(store->find("t1"));
  server.kill();
  cannot();
  server.start();
  CHECK(comes_true([&] {
    try {
      return store->find("t1").has_value() && !store.submit("t1", R"({"n":1})").created;
    } catch (const store_error& e) {
      CHECK_FALSE(e.is_fatal());
      return false;
    }
  }));
}

TEST_CASE("retention takes tasks that have left the memory, in the order of their ends") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 6);
  let_leave(store, server);
  end_tasks(store, 2, 6); // these are in memory
  purge_ended w{"delivery", {{}, 5}, 2, {}, at(900)};
  auto first = store.one(w);
  CHECK(first.purged == 2);
  CHECK(first.more);
  w.after = first.reached;
  const auto second = store.one(w);
  CHECK(second.purged == 1);
  CHECK_FALSE(second.more);
  for (int i = 0; i < 8; ++i)
    CHECK(store->find("t" + std::to_string(i)).has_value() == i >= 3);
  CHECK(store->check().faults == std::vector<std::string>{});
  store.reopen();
  for (int i = 0; i < 8; ++i)
    CHECK(store->find("t" + std::to_string(i)).has_value() == i >= 3);
  let_leave(store, server);
  CHECK(number_of(server, "count(distinct ended) from steadfast.kept_0") == "5");
  CHECK(number_of(server, "count(*) from steadfast.kept_0 where in_table = 5 and ended is null") == "24");
  CHECK(store->check().faults == std::vector<std::string>{});
  const auto by_age = store.one(purge_ended{"delivery", {std::chrono::seconds{100}, {}}, 10, {}, at(50)});
  CHECK(by_age.purged == 0);
  CHECK(by_age.next == at(2 + 3 + 100));           // of t3, which has left the memory
  CHECK(store.submit("t1", R"({"n":1})").created); // its id is free again
}

TEST_CASE("a task with an observer stays in memory until its last notice was acknowledged") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  auto s = order("t0");
  s.reply_to = "shop";
  const auto number = store.one(submit_task{s, at(0)}).number;
  auto t = store.one(claim_tasks{"s1", 1, at(1)}).tasks.at(0);
  for (std::size_t i = 0; i < 2; ++i) {
    store.one(success_of(t, i));
    t = *store->find(number);
  }
  end_task(store, "t1");
  write_much(store);
  REQUIRE(leave_down_to(store, 13));
  CHECK(store->tasks_in_memory() == 13); // t0 among them
  CHECK(store->notices("shop", 0, 0, 100).size() > 2);
  store.one(acknowledge_notices{"shop", number, t.notices});
  write_much(store);
  REQUIRE(leave_down_to(store, 24));
  CHECK(store->find("t0")->state == workflow::process_state::processed);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a late reply to a task that has left the memory is kept with it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 2);
  const auto number = store->find("t1")->number;
  let_leave(store, server);
  REQUIRE(store.one(keep_late_reply{number, {}}).result == write_status::applied);
  store.reopen();
  CHECK(store->late_replies(number, 10).size() == 1);
  let_leave(store, server);
  CHECK(store->late_replies({}, 10).at(0).task_id == "t1");
  CHECK(store->export_task("t1")->late_replies.size() == 1);
  CHECK(store->check().faults == std::vector<std::string>{});
  CHECK(store.one(purge_ended{"delivery", {{}, 0}, 10, {}, at(900)}).purged == 2);
  CHECK(store->late_replies({}, 10).empty());
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 101: a task that has left the memory and whose row is damaged is set aside when it is read") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 3);
  let_leave(store, server);
  const auto number = store->find("t1")->number;
  REQUIRE(server.sql({"update steadfast.kept_0 set value = set_byte(value, length(value) - 1,"
                      " get_byte(value, length(value) - 1) # 4) where in_table = 5 and ended = "
                      + std::to_string(number) + " returning 1"})
          == "1");
  CHECK_FALSE(store->find("t1"));
  CHECK(store->damage_of("t1"));
  CHECK(store->list(in_states({workflow::process_state::processed}), {}, 100).tasks.size() == 2);
  CHECK(store->check().faults.size() == 1);
  const auto told = store->damaged();
  REQUIRE(told.size() == 1);
  REQUIRE(told[0].number == number);
  CHECK(store.one(set_aside_damaged{number, told[0].why, at(5)}).result == write_status::applied);
  CHECK(store->counts().tasks[workflow::process_state::processed] == 2);
  CHECK(store->check().faults == std::vector<std::string>{});
  CHECK(store.submit("t1").result == write_status::refused); // its id is taken
  let_leave(store, server);
  store.reopen();
  CHECK(store->check().faults == std::vector<std::string>{});
  CHECK(store->counts().tasks[workflow::process_state::processed] == 2);
}

TEST_CASE("a copy has the tasks that left the memory too") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), 10'000};
  end_tasks(store, 5);
  act(store, "t4", workflow::undo_requested{{"ann", "because"}});
  let_leave(store, server);
  REQUIRE_FALSE(store.submit("t2", R"({"n":2})").created); // is back
  const temp_folder folder;
  const auto to = folder.path() / "copy";
  store->copy(to);
  auto options = small_options(to);
  options.read_only = true;
  const lmdb_engine copy{options};
  CHECK(copy.check().faults == std::vector<std::string>{});
  for (int i = 0; i < 5; ++i)
    CHECK(copy.find("t" + std::to_string(i)) == store->find("t" + std::to_string(i)));
  CHECK(copy.counts().tasks == store->counts().tasks);
}

TEST_CASE("a store of the former version is upgraded, and what ended in it leaves the memory of its next owner") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  opened_there store{server.url(), std::size_t{1} << 30U};
  end_tasks(store, 5);
  store.settings().log_max = 1; // all of it into the rows, without marks, as that version left them
  store.reopen();
  REQUIRE(comes_up(store, server));
  CHECK(leave_down_to(store, 0));
  server.sql({"drop index steadfast.kept_0_ended", "drop index steadfast.kept_0_living",
              "delete from steadfast.kept_0 where in_table in (8, 19)",
              "alter table steadfast.kept_0 drop column ended", "alter table steadfast.kept_1 drop column ended",
              "update steadfast.store set version = 2"});
  auto c = postgres::connection::open({server.url(), {}, "steadfast"}, "the test", {}, std::chrono::steady_clock::now);
  CHECK_THAT(postgres::why_not_usable(postgres::find_store(c, "steadfast"), "steadfast"), Contains("store upgrade"));
  CHECK(postgres::upgrade_store(c, "steadfast").result == postgres::making::made);
  store.reopen();
  CHECK(store->tasks_in_memory() == 5);
  CHECK(store->check().faults == std::vector<std::string>{});
  store.settings().ended_max = 3;
  store.settings().log_max = std::size_t{1} << 30U;
  store.reopen();
  REQUIRE(store.submit("living").created);
  REQUIRE(leave_down_to(store, 1));
  CHECK(all_ids(store, {}, 100).size() == 6);
  CHECK(store->check().faults == std::vector<std::string>{});
}
