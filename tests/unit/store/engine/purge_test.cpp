// Ended tasks leave by age and by number, with all that belongs to them; those that somebody still has to see stay.

#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using namespace std::chrono_literals;

namespace {

workflow::retention keep_at_most(std::uint64_t n) {
  return {{}, n};
}
workflow::retention keep_for(workflow::span s) {
  return {s, {}};
}

/// What goes on from there, at that time.
purge_ended purge(const workflow::retention& keep, std::size_t max = 100, ended_position after = {},
                  std::int64_t seconds = 1000) {
  return {"delivery", keep, max, after, at(seconds)};
}

/// Takes the task, which must be the next in line, and ends it at that time.
void end_next(opened_store& store, std::int64_t seconds, const std::string& result = "{}") {
  const auto t = store.take("s1", seconds - 1);
  store.one(success_of(t, 0, result, seconds));
  store.one(success_of(*store->find(t.number), 1, result, seconds));
}

/// Tasks t0, t1, ... which ended at 10 s, 20 s, ...
void end_some(opened_store& store, int count) {
  for (int i = 0; i < count; ++i) {
    store.submit("t" + std::to_string(i));
    end_next(store, 10 * (i + 1));
  }
}

void submit_observed(opened_store& store, const std::string& id) {
  auto s = order(id);
  s.reply_to = "shop";
  store.one(submit_task{s, at(0)});
}

std::vector<std::string> ids_in(opened_store& store) {
  std::vector<std::string> ids;
  for (const auto& t : store->list({}, {}, 1000).tasks)
    ids.insert(ids.begin(), t.id);
  return ids;
}

using id_list = std::vector<std::string>;

std::vector<std::string> faults_of(opened_store& store) {
  return store->check().faults;
}

} // namespace

TEST_CASE("of the tasks that ended well, the newest stay") {
  opened_store store;
  end_some(store, 5);
  const auto o = store.one(purge(keep_at_most(2)));
  CHECK(o.result == write_status::applied);
  CHECK(o.purged == 3);
  CHECK_FALSE(o.more);
  CHECK(o.next == workflow::never);
  CHECK(ids_in(store) == id_list{"t3", "t4"});
  CHECK(store->counts().tasks[workflow::process_state::processed] == 2);
  CHECK(store->counts().tasks_purged == 3);
  CHECK(faults_of(store).empty());
  CHECK(store.one(purge(keep_at_most(2))).purged == 0);
}

TEST_CASE("tasks leave when they have been kept for long enough, and it is told when the next one does") {
  opened_store store;
  end_some(store, 3); // at 10, 20 and 30 s
  CHECK(store.one(purge(keep_for(15s), 100, {}, 24)).purged == 0);
  const auto o = store.one(purge(keep_for(15s), 100, {}, 35));
  CHECK(o.purged == 2);
  CHECK(o.next == at(45));
  CHECK(ids_in(store) == id_list{"t2"});
  CHECK(store.one(purge(keep_for(15s), 100, o.reached, 45)).purged == 1);
  CHECK(store.one(purge(keep_for(15s), 100, o.reached, 45)).next == workflow::never);
}

TEST_CASE("either rule is enough for a task to leave, and without one none does") {
  opened_store store;
  end_some(store, 4);
  CHECK(store.one(purge({})).purged == 0);
  CHECK(store.one(purge({15s, 3}, 100, {}, 36)).purged == 2); // one by number, one more by age
  CHECK(ids_in(store) == id_list{"t2", "t3"});
}

TEST_CASE("a purge removes no more than it may and goes on where the one before stopped") {
  opened_store store;
  end_some(store, 5);
  auto o = store.one(purge(keep_at_most(0), 2));
  CHECK(o.purged == 2);
  CHECK(o.more);
  o = store.one(purge(keep_at_most(0), 2, o.reached));
  CHECK(o.purged == 2);
  CHECK(o.more);
  o = store.one(purge(keep_at_most(0), 2, o.reached));
  CHECK(o.purged == 1);
  CHECK_FALSE(o.more);
  CHECK(ids_in(store).empty());
}

TEST_CASE("tasks that were undone leave, and those that did not end or ended in error stay") {
  opened_store store;
  const auto fail_step = [&](const std::string& id, bool maybe_done) {
    const auto t = store->find(id).value();
    workflow::attempt_failed e;
    e.ref = {0, t.steps[0].attempt, t.lock_epoch};
    e.permanent = true;
    e.maybe_done = maybe_done;
    store.one(update_by(t, delivery(), e, at(3)));
  };
  for (const std::string id : {"undone", "error"}) {
    store.submit(id);
    store.take();
  }
  store.submit("waits");
  fail_step("undone", false);
  fail_step("error", true);
  fail_step("error", true); // its undo, too
  REQUIRE(store->find("undone")->state == workflow::process_state::undone);
  REQUIRE(store->find("error")->state == workflow::process_state::error);
  for (const auto& a : store->alerts(true, 10))
    store.one(acknowledge_alert{a.number, "ann", at(4)});
  CHECK(store.one(purge(keep_at_most(0))).purged == 1);
  CHECK(ids_in(store) == id_list{"error", "waits"});
  CHECK(faults_of(store).empty());
}

TEST_CASE("other workflows are left alone") {
  opened_store store;
  end_some(store, 2);
  auto other = purge(keep_at_most(0));
  for (const std::string& name : id_list{"deliver", "delivery2", "", "no name", std::string(200, 'x')}) {
    other.workflow = name;
    CHECK(store.one(other).purged == 0);
  }
  CHECK(ids_in(store).size() == 2);
}

TEST_CASE("with a task go its payload, its results, its late replies and its alerts") {
  opened_store store;
  store.submit("large", std::string(6000, 'p'));
  const auto t = store.take();
  store.one(success_of(t, 0, std::string(3000, 'r')));
  auto last = success_of(*store->find("large"), 1);
  last.alerts = {{"waiting", "it took long", "drone", at(3)}};
  store->commit({last, keep_late_reply{1, {"drone", 1, 1, "attempt_failed", "late", at(4)}},
                 acknowledge_alert{1, "ann", at(5)}, record_act{"ann", "drained node `one`", "", at(6)}});
  CHECK(store.one(purge(keep_at_most(0))).purged == 1);

  CHECK_FALSE(store->find("large"));
  CHECK_FALSE(store->find(1));
  CHECK(store->late_replies({}, 10).empty());
  CHECK(store->alerts(false, 10).size() == 1); // which is of no task
  CHECK(store.one(keep_late_reply{1, {}}).result == write_status::absent);
  CHECK(faults_of(store).empty());
  store.close();
  const lmdb::environment env{{store.path(), 1 << 26, true}};
  const auto txn = lmdb::transaction::reading(env);
  for (const char* table : {"tasks", "ids", "recent_ids", "payloads", "results", "late", "states", "deadlines", "ended",
                            "task_alerts", "notices"}) {
    INFO(table);
    CHECK(txn.entries(txn.open_table(table).value()) == 0);
  }
}

TEST_CASE("the id of a task that left is free for another task, whose number is a new one") {
  opened_store store;
  end_some(store, 1);
  const auto o = store->commit({purge(keep_at_most(0)), submit_task{order("t0", "another payload"), at(50)}});
  CHECK(o[0].as<purge_result>().purged == 1);
  CHECK(o[1].as<submit_result>().created);
  CHECK(o[1].as<submit_result>().number == 2);
  CHECK(store->find("t0")->payload.view() == "another payload");
  CHECK(faults_of(store).empty());
}

TEST_CASE("a task whose observer has not seen all of its progress stays, and does not keep others from leaving") {
  opened_store store;
  submit_observed(store, "observed");
  end_next(store, 5);
  end_some(store, 3);
  auto o = store.one(purge(keep_at_most(1)));
  CHECK(o.purged == 2);
  CHECK(o.reached.passed == 1);
  CHECK(ids_in(store) == id_list{"observed", "t2"});
  CHECK(store.one(purge(keep_at_most(1), 100, o.reached)).purged == 0); // the newest is kept, whoever else stays

  store.one(acknowledge_notices{"shop", 1, 100});
  CHECK(store.one(purge(keep_at_most(1))).purged == 1);
  CHECK(ids_in(store) == id_list{"t2"});
}

TEST_CASE("a task with an open alert stays until somebody has seen it") {
  opened_store store;
  store.submit("noticed");
  const auto t = store.take();
  auto first = success_of(t, 0);
  first.alerts = {{"waiting", "it took long", "package", at(3)}};
  store.one(first);
  store.one(success_of(*store->find("noticed"), 1));
  CHECK(store.one(purge(keep_at_most(0))).purged == 0);
  store.one(acknowledge_alert{1, "ann", at(5)});
  CHECK(store.one(purge(keep_at_most(0))).purged == 1);
  CHECK(store->alerts(false, 10).empty());
}

TEST_CASE("one purge looks at a bounded number of tasks that cannot leave, and the next goes on behind them") {
  opened_store store;
  constexpr int many = 450;
  for (int i = 0; i < many; ++i) {
    submit_observed(store, "observed" + std::to_string(i));
    end_next(store, 5);
  }
  end_some(store, 1);
  std::size_t calls = 0;
  answer<purge_ended> o;
  for (o.more = true; o.more; ++calls) {
    const auto before = o.reached.passed;
    o = store.one(purge(keep_at_most(0), 10, o.reached));
    CHECK(o.reached.passed - before < many / 2);
    REQUIRE(calls < 10);
  }
  CHECK(calls > 2);
  CHECK(o.purged == 1);
  CHECK_FALSE(store->find("t0"));
  CHECK(o.reached.passed == many);
}

TEST_CASE("a purge is as durable as any write, and the counts are there after a restart") {
  opened_store store;
  end_some(store, 5);
  store.reopen();
  CHECK(store.one(purge(keep_at_most(3))).purged == 2);
  store.reopen();
  CHECK(ids_in(store) == id_list{"t2", "t3", "t4"});
  CHECK(store->counts().tasks_purged == 2);
  CHECK(faults_of(store).empty());
  end_some(store, 1); // t0 is a new task
  CHECK(store.one(purge(keep_at_most(3))).purged == 1);
  CHECK(store->counts().tasks_purged == 3);
}

TEST_CASE("row 66: a damaged task does not leave, and does not keep others from leaving") {
  opened_store store;
  end_some(store, 2);
  tamper(store, [](lmdb::transaction& txn) { txn.put(txn.make_table("tasks"), key{std::uint64_t{1}}, "no record"); });
  const auto o = store.one(purge(keep_at_most(0)));
  CHECK(o.purged == 1);
  CHECK(o.reached.passed == 1);
  auto told = store->damaged();
  REQUIRE(told.size() == 1);
  CHECK(store.one(told[0]).result == write_status::applied);
  CHECK(store.one(purge(keep_at_most(0))).reached.passed == 0);
  CHECK(faults_of(store).empty());
  CHECK(store.submit("t0").result == write_status::refused); // its id is not free
}

TEST_CASE("row 66: an entry too few or too many among the ended tasks is told of, and so is a wrong count") {
  const auto faults_after = [](auto change) {
    opened_store store;
    end_some(store, 2);
    tamper(store, change);
    return faults_of(store);
  };
  const auto first = ended_key("delivery", at(10), 1);
  auto faults = faults_after([&](lmdb::transaction& txn) { txn.erase(txn.make_table("ended"), first); });
  REQUIRE(faults.size() == 1);
  CHECK(mentions(faults[0], "task 1 (t0): missing in table ended"));

  faults =
    faults_after([&](lmdb::transaction& txn) { txn.put(txn.make_table("ended"), ended_key("x", at(1), 1), {}); });
  REQUIRE(faults.size() == 1);
  CHECK(mentions(faults[0], "table ended has 3 entries where there should be 2"));

  faults = faults_after([&](lmdb::transaction& txn) {
    const std::string name = "delivery";
    txn.put(txn.make_table("ended_counts"), name, encode_record(name, ended_count{3, 0, 0}));
  });
  REQUIRE(faults.size() == 1);
  CHECK(mentions(faults[0], "ended tasks of workflow delivery: they are not as many"));

  faults = faults_after([&](lmdb::transaction& txn) { txn.erase(txn.make_table("ended_counts"), "delivery"); });
  REQUIRE(faults.size() == 1);
  CHECK(mentions(faults[0], "are not counted"));

  faults = faults_after([&](lmdb::transaction& txn) {
    txn.put(txn.make_table("task_alerts"), key{std::uint64_t{1}, std::uint64_t{1}}, {});
  });
  REQUIRE(faults.size() == 1);
  CHECK(mentions(faults[0], "task_alerts"));
}

TEST_CASE("an ended task that is reopened is not among the ended any more, until it ends again") {
  opened_store store;
  end_some(store, 2);
  const auto t = store->find("t0").value();
  store.one(update_by(t, delivery(), workflow::undo_requested{{"ann", "wrong address"}}, at(50)));
  REQUIRE(store->find("t0")->state != workflow::process_state::processed);
  CHECK(faults_of(store).empty());
  CHECK(store.one(purge(keep_at_most(0))).purged == 1);
  CHECK(ids_in(store) == id_list{"t0"});
}
