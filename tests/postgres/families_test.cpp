// Families of tasks leave the memory of a store on PostgreSQL, each by itself, and come back when others need them.

#include "tests/postgres/opened_there.hpp"
#include "tests/support/skip.hpp"
#include "tests/unit/store/random_families.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace steadfast::tests;
using workflow::process_state;

namespace {

const workflow::by ann{"ann", "because"};

/// A store whose rows are brought up by each save, with the workflows `leg`, and `order`, which has one for each of its
/// items.
struct shop {
  postgres_server server;
  opened_there store;
  std::int64_t seconds = 1;

  explicit shop(std::uint32_t at_a_time = 1000) : store{made(server), 1} {
    auto ship = waiting_for(workflow::wait_rule::kind::items, "ship", "", "leg");
    ship.wait->at_a_time = at_a_time;
    ship.wait->may_fail = 0;
    commit({register_definition{workflow_of("leg", {step_named("seat")})},
            register_definition{workflow_of("order", {ship, step_named("bill")})}});
  }
  static std::string made(const postgres_server& server) {
    make_store(server.url());
    return server.url();
  }

  void commit(const std::vector<store::write>& batch) {
    for (const auto& o : store->commit(batch)) {
      INFO(o.why);
      REQUIRE(o.result == write_status::applied);
    }
  }
  void submit(const std::string& id, std::size_t items) {
    workflow::submission s;
    s.id = id;
    s.workflow = "order";
    std::string payload = "[";
    for (std::size_t i = 0; i < items; ++i)
      payload += (i == 0 ? "" : ",") + std::to_string(i);
    s.payload = workflow::blob{payload + "]"};
    REQUIRE(store.one(submit_task{s, at(seconds)}).created);
  }
  static std::string item(const std::string& of, std::size_t i) { return of + "/ship/" + std::to_string(i); }

  store::write success(const workflow::task& t, std::size_t step) {
    const workflow::attempt_ref ref{step, t.steps[step].attempt, t.lock_epoch};
    return update_by(*store->find(t.number), definition_of(t),
                     workflow::attempt_succeeded{ref, workflow::blob{std::string{"1"}}, {}}, at(seconds));
  }
  bool is_at_agent(const workflow::task& t, std::size_t i) {
    const auto state = t.steps[i].state;
    if (state != workflow::step_state::running && state != workflow::step_state::compensating)
      return false;
    const auto d = definition_of(t);
    return !workflow::starts_child(d.steps[i]);
  }
  workflow::definition definition_of(const workflow::task& t) { return *store->find_definition(t.workflow, t.version); }
  /// All that agents have to do. False: there was nothing.
  bool work() {
    ++seconds;
    const auto claimed = store.one(claim_tasks{"s1", 1000, at(seconds)});
    std::vector<store::write> batch;
    task_filter at_work;
    at_work.states = {process_state::processing, process_state::undoing};
    for (const auto& t : store->list(at_work, {}, 1000).tasks)
      for (std::size_t i = 0; i < t.steps.size(); ++i)
        if (is_at_agent(t, i))
          batch.push_back(success(t, i));
    for (auto from = batch.begin(); from != batch.end();) {
      const auto end = from + std::min<std::ptrdiff_t>(500, batch.end() - from);
      commit({from, end});
      from = end;
    }
    return !batch.empty() || claimed.more || claimed.next <= at(seconds);
  }
  void work_off() {
    while (work()) {
    }
  }
  void act(const std::string& id, const workflow::event& e) {
    const auto t = *store->find(id);
    commit({update_by(t, definition_of(t), e, at(++seconds))});
  }

  /// Until only so many tasks are in memory.
  bool leave_down_to(std::uint64_t tasks) {
    return comes_true([&] {
      store.one(record_act{"ann", "looked", "because", at(seconds)}); // so that there is something to bring up
      store->save();
      return store->tasks_in_memory() <= tasks;
    });
  }
  std::string state(const std::string& id) { return std::string{workflow::to_string(store->find(id)->state)}; }
  std::size_t in_state(process_state s) {
    task_filter f;
    f.states = {s};
    return store->list(f, {}, 5000).tasks.size();
  }
  /// What is counted of the items of its first step, as a copy of the store has it.
  workflow::fan_out items_of(const std::string& id) {
    const temp_folder folder;
    auto options = small_options(folder.path() / "copy");
    store->copy(options.path);
    options.read_only = true;
    const lmdb_engine copy{options};
    CHECK(copy.check().faults == std::vector<std::string>{});
    workflow::fan_out g;
    copy.look([&](const lmdb::transaction& txn, const tables& in) {
      const key k{copy.find(id)->number, std::uint32_t{0}};
      g = decode_record<workflow::fan_out>(k, txn.get(in.item_groups, k).value());
    });
    return g;
  }
  void expect_whole() { CHECK(store->check().faults == std::vector<std::string>{}); }
};

} // namespace

TEST_CASE("random writes to families in a partition give the same as those to a store in files") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  std::uint64_t first = 1;
  std::uint64_t last = 2;
  if (const char* seed = std::getenv("STEADFAST_SEED"))
    first = last = std::strtoull(seed, nullptr, 10);
  for (auto seed = first; seed <= last; ++seed) {
    INFO("replay with STEADFAST_SEED=" << seed);
    const postgres_server server;
    make_store(server.url());
    opened_there store{server.url(), 4'000}; // so that the rows are brought up often
    random_families{seed, store}.run(250);
    CHECK(number_of(server, "count(*) from steadfast.kept_0 where ended is not null and in_table = 19"
                            " and value <> ''")
          != "0"); // children have left
  }
}

TEST_CASE(
  "row 145: a family of 1,000 items leaves the memory, is shown, comes back by an undo of its root, and is purged") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  constexpr std::size_t items = 1000;
  shop x;
  x.submit("o", items);
  x.work_off();
  REQUIRE(x.state("o") == "processed");
  const auto root = *x.store->find("o");
  const auto one = *x.store->find(shop::item("o", 7));
  REQUIRE(x.leave_down_to(0));
  const auto takeover = GENERATE(false, true);
  if (takeover)
    x.store.reopen();
  CHECK(x.store->tasks_in_memory() == 0);
  CHECK(*x.store->find("o") == root);
  CHECK(*x.store->find(one.id) == one);
  CHECK(x.store->find(shop::item("o", 999)));
  CHECK(x.in_state(process_state::processed) == items + 1);
  task_filter of_item;
  of_item.workflow = "leg";
  CHECK(x.store->count_part(of_item, {}).matched == items);
  x.expect_whole();

  // what looks at items one by one for retention reads none of them back
  const auto passed = x.store.one(purge_ended{"leg", {{}, 0}, 100, {}, at(90'000)});
  CHECK(passed.purged == 0);
  CHECK(passed.reached.passed == 200);
  CHECK(passed.more);
  CHECK(x.store->tasks_in_memory() == 0);

  x.act("o", workflow::undo_requested{ann});
  if (takeover)
    x.store.reopen();
  x.expect_whole();
  for (int round = 0; x.work(); ++round)
    if (takeover && round % 3 == 2)
      x.store.reopen();
  CHECK(x.in_state(process_state::undone) == items + 1);
  x.expect_whole();
  REQUIRE(x.leave_down_to(0));
  if (takeover)
    x.store.reopen();
  CHECK(x.in_state(process_state::undone) == items + 1);
  CHECK(x.store.one(purge_ended{"order", {{}, 0}, 100, {}, at(90'000)}).purged == 1);
  CHECK(x.store->counts().tasks_purged == items + 1);
  CHECK_FALSE(x.store->find(one.id));
  x.expect_whole();
  if (takeover)
    x.store.reopen();
  CHECK(x.leave_down_to(0));
  CHECK(x.store->list({}, {}, 5000).tasks.empty());
  x.expect_whole();
  CHECK(comes_true([&] {
    x.store->save();
    return number_of(x.server, ended_rows_there) == "0";
  }));
}

TEST_CASE(
  "row 145: items that end after their parent has left the memory are counted, also when it was about to leave") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 4);
  for (int i = 0; i < 2; ++i)
    x.store.one(claim_tasks{"s1", 10, at(1)});
  x.commit({x.success(*x.store->find(shop::item("o", 0)), 0)});
  x.act("o", workflow::step_skipped{0, workflow::blob{std::string{"1"}}, {}, ann});
  x.store.one(claim_tasks{"s1", 10, at(2)});
  x.commit({x.success(*x.store->find("o"), 1)});
  REQUIRE(x.state("o") == "processed");
  const auto is_marked = "count(*) from steadfast.kept_0 where ended = " + std::to_string(x.store->find("o")->number);
  if (GENERATE(false, true)) {
    REQUIRE(x.leave_down_to(3));
  } else {
    x.store->save();
    REQUIRE(comes_true([&] { return number_of(x.server, is_marked) != "0"; }));
    CHECK(x.store->tasks_in_memory() == 5);
  }
  const workflow::attempt_failed refused{{0, 1, x.store->find(shop::item("o", 1))->lock_epoch}, true, false, {}, "no"};
  x.act(shop::item("o", 1), refused);
  if (GENERATE(false, true))
    x.store.reopen();
  x.expect_whole();
  REQUIRE(x.leave_down_to(2));
  x.expect_whole();
  CHECK(x.items_of("o").at_work == 2);
  x.commit({x.success(*x.store->find(shop::item("o", 2)), 0)});
  x.store.reopen();
  x.expect_whole();
  x.act("o", workflow::undo_requested{ann});
  x.work_off();
  CHECK(x.in_state(process_state::undone) == 5);
  x.expect_whole();
}

TEST_CASE("row 145: what is left to be told to a task that has left the memory is told when its turn comes") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  constexpr std::size_t items = 300; // more than one write tells of
  shop x;
  auto call = waiting_for(workflow::wait_rule::kind::event, "call", "/key", "called");
  call.wait->length = std::chrono::hours{1};
  auto all = waiting_for(workflow::wait_rule::kind::items, "all", "", "call");
  all.wait->at_a_time = 1000;
  x.commit({register_definition{workflow_of("call", {call})}, register_definition{workflow_of("calls", {all})}});
  workflow::submission s;
  s.id = "c";
  s.workflow = "calls";
  std::string payload;
  for (std::size_t i = 0; i < items; ++i)
    payload += std::string{i == 0 ? "[" : ","} + R"({"key":"k"})";
  s.payload = workflow::blob{payload + "]"};
  x.commit({submit_task{s, at(1)}});
  x.work_off();
  x.act("c", workflow::step_skipped{0, workflow::blob{std::string{"1"}}, {}, ann});
  x.work_off();
  REQUIRE(x.state("c") == "processed");
  REQUIRE(x.leave_down_to(items));
  send_event called;
  called.name = "called";
  called.key = "k";
  called.data = "{}";
  called.who = "ann";
  called.now = at(x.seconds);
  CHECK(x.store.one(called).taken == items);
  x.store.one(claim_tasks{"s1", 1000, at(x.seconds)}); // by which they end
  REQUIRE(x.leave_down_to(0));
  if (GENERATE(false, true))
    x.store.reopen();
  x.work_off();
  CHECK(x.items_of("c").done == items);
  CHECK(x.items_of("c").at_work == 0);
}

TEST_CASE("row 145: a purge of a family and of what its members are is one of each task, however many are read back") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 3);
  x.submit("p", 2);
  x.work_off();
  REQUIRE(x.leave_down_to(0));
  const auto o =
    x.store->commit({purge_ended{"order", {{}, 1}, 10, {}, at(900)}, purge_ended{"leg", {{}, 0}, 10, {}, at(900)}});
  CHECK(o[0].as<purge_result>().purged == 1);
  CHECK(o[1].as<purge_result>().purged == 0);
  CHECK(o[1].as<purge_result>().reached.passed == 2);
  CHECK(o[1].as<purge_result>().reached.number == x.store->find(shop::item("p", 1))->number);
  x.store->save();
  CHECK(x.store->tasks_in_memory() == 1); // `p`, which is the next
  CHECK(x.store->counts().tasks_purged == 4);
  CHECK(x.store->find(shop::item("p", 1)));
  CHECK_FALSE(x.store->find(shop::item("o", 1)));
  x.store.reopen();
  CHECK(x.store->list({}, {}, 100).tasks.size() == 3);
  x.expect_whole();
}

TEST_CASE("row 86: an owner shows that he lives while a family comes back") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 3);
  x.work_off();
  REQUIRE(x.leave_down_to(0));
  x.store.settings().lease = std::chrono::milliseconds{900};
  x.store.reopen();
  const auto t = *x.store->find("o");
  const auto undo = update_by(t, x.definition_of(t), workflow::undo_requested{ann}, at(100));
  x.server.sql({"create function public.be_slow() returns bool language plpgsql stable as"
                " $$ begin perform pg_sleep(1.5); return true; end $$",
                "alter table steadfast.kept_0 rename to real_rows",
                "create view steadfast.kept_0 as select * from steadfast.real_rows where public.be_slow()",
                "grant select on steadfast.kept_0 to app"});
  const auto before = x.store->known().commit;
  CHECK(x.store->commit({undo}).at(0).result == write_status::applied);
  CHECK(x.store->known().commit >= before + 3); // one, and signs of life
  x.server.sql({"drop view steadfast.kept_0", "alter table steadfast.real_rows rename to kept_0"});
  x.work_off();
  CHECK(x.in_state(process_state::undone) == 4);
  x.expect_whole();
}

TEST_CASE("row 86: an owner shows that he lives while a large family is purged") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 3000);
  x.work_off();
  x.store.settings().lease = std::chrono::milliseconds{5};
  x.store.reopen();
  const auto before = x.store->known().commit;
  CHECK(x.store.one(purge_ended{"order", {{}, 0}, 10, {}, at(9000)}).purged == 1);
  CHECK(x.store->known().commit >= before + 10); // one, and signs of life, of which few are from reading before it
  CHECK(x.store->counts().tasks_purged == 3001);
  x.expect_whole();
}

TEST_CASE("the marks of a family that came back go even if little else is written") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 30);
  x.work_off();
  REQUIRE(x.leave_down_to(0));
  x.store.settings().log_max = std::size_t{1} << 30U;
  x.store.settings().ended_max = 20;
  x.store.reopen();
  CHECK(x.store.one(purge_ended{"order", {{}, 0}, 10, {}, at(900)}).purged == 1);
  bool are_gone = false;
  for (int i = 0; i < 500 && !are_gone; ++i) {
    x.store->save();
    are_gone = number_of(x.server, ended_rows_there) == "0";
  }
  CHECK(are_gone);
  x.expect_whole();
}

TEST_CASE("a task that has left the memory, and whose parent is gone, leaves the store when its own time has come") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 3);
  x.work_off();
  REQUIRE(x.leave_down_to(0));
  x.server.sql(
    {"delete from steadfast.kept_0 where ended = " + std::to_string(x.store->find("o")->number) + " returning 1"});
  CHECK(x.store.one(purge_ended{"leg", {{}, 0}, 10, {}, at(900)}).purged == 3);
  CHECK(x.store->list({}, {}, 10).tasks.empty());
}

TEST_CASE("row 145: of a family of which a member cannot leave the store the others are not read to find that out") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 30);
  x.work_off();
  const auto one = shop::item("o", 7);
  x.act(one, workflow::undo_requested{ann});
  x.store.one(claim_tasks{"s1", 10, at(++x.seconds)});
  const auto t = *x.store->find(one);
  x.act(one, workflow::attempt_failed{{0, t.steps[0].attempt, t.lock_epoch}, true, true, {}, "no"});
  REQUIRE(x.state(one) == "error");
  REQUIRE(x.leave_down_to(1));
  const auto stays = x.store.one(purge_ended{"order", {{}, 0}, 10, {}, at(900)});
  CHECK(stays.purged == 0);
  CHECK(stays.reached.passed == 1);
  CHECK(x.store->tasks_in_memory() == 2);
  x.act(one, workflow::step_retried{0, false, ann});
  x.work_off();
  REQUIRE(x.state(one) == "undone");
  CHECK(x.store.one(purge_ended{"order", {{}, 0}, 10, {}, at(902)}).purged == 1);
  CHECK(x.store->counts().tasks_purged == 31);
  x.expect_whole();
}

TEST_CASE("row 145: a commit for which a family comes back waits for the one under way, which may be refused") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 3);
  x.submit("p", 3);
  x.work_off();
  REQUIRE(x.leave_down_to(0));
  const bool is_refused = GENERATE(false, true);
  if (is_refused)
    x.server.sql(
      {"create function public.refuse() returns trigger language plpgsql as $$ begin"
       " if position('refuse me'::bytea in new.changes) > 0 then raise exception 'refused'; end if; return new; end $$",
       "create trigger refuse before insert on steadfast.log_0_0 for each row execute function public.refuse()",
       "create trigger refuse before insert on steadfast.log_0_1 for each row execute function public.refuse()"});
  const auto undo_of = [&](const std::string& id, const std::string& why) -> store::write {
    const auto t = *x.store->find(id);
    return update_by(t, x.definition_of(t), workflow::undo_requested{{"ann", why}}, at(100));
  };
  const auto of_o = undo_of("o", "refuse me");
  const auto of_p = undo_of("p", "because");
  const auto first = x.store->begin_commit({&of_o});
  const auto second = x.store->begin_commit({&of_p});
  if (is_refused)
    CHECK_THROWS_WITH(first(), Catch::Contains("refused"));
  else
    CHECK(first().at(0).result == write_status::applied);
  CHECK(second().at(0).result == write_status::applied);
  CHECK(x.state("o") == (is_refused ? "processed" : "undoing"));
  CHECK(x.state("p") == "undoing");
  x.expect_whole();
  x.work_off();
  CHECK(x.in_state(process_state::undone) == (is_refused ? 4 : 8));
  x.store.reopen();
  CHECK(x.in_state(process_state::undone) == (is_refused ? 4 : 8));
  CHECK(x.in_state(process_state::processed) == (is_refused ? 4 : 0));
  x.expect_whole();
}

TEST_CASE("row 145: while the server is away nothing of a family that has left is lost or taken for absent") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  shop x;
  x.submit("o", 30);
  x.work_off();
  const auto root = *x.store->find("o");
  const auto d = *x.store->find_definition("order", 1);
  REQUIRE(x.leave_down_to(0));
  const auto undo = update_by(root, d, workflow::undo_requested{ann}, at(100));
  x.server.kill();
  CHECK_THROWS_AS(x.store->commit({undo}), store_error);
  x.server.start();
  CHECK(comes_true([&] {
    try {
      return x.store->commit({undo}).at(0).result == write_status::applied;
    } catch (const store_error& e) {
      CHECK_FALSE(e.is_fatal());
      return false;
    }
  }));
  x.work_off();
  CHECK(x.in_state(process_state::undone) == 31);
  x.expect_whole();
}
