// Tasks of many steps, whose steps have rows of their own.

#include "tests/support/property.hpp"
#include "tests/support/workflow/random_workflow.hpp"
#include "tests/support/workflow/scenario.hpp"
#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

#include "store/journal/restored.hpp"
#include "store/records/record.hpp"
#include "store/upkeep/restore.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using faults = std::vector<std::string>;

namespace {

constexpr std::uint64_t number = 1; ///< of the only task
constexpr std::size_t many = 20;    ///< three stretches

workflow::definition long_delivery() {
  workflow::definition d;
  d.name = "long";
  d.version = 1;
  for (std::size_t i = 0; i < many; ++i)
    d.steps.push_back(step_named("s" + std::to_string(i)));
  return d;
}

/// With one task of many steps, taken, and its first step under way.
struct long_task {
  opened_store store;

  explicit long_task(commits how = commits::alone) : store{how} {
    store.one(register_definition{long_delivery()});
    auto s = order("t");
    s.workflow = "long";
    store.one(submit_task{s, at(0)});
    store.take();
  }

  workflow::task task() { return store->find(number).value(); }

  /// The steps from this one on succeed, one after the other.
  void succeed(std::size_t from, std::size_t count, const std::string& result = "{}") {
    for (auto i = from; i < from + count; ++i) {
      const auto t = task();
      workflow::attempt_succeeded e;
      e.ref = {i, t.steps.at(i).attempt, t.lock_epoch};
      e.result = workflow::blob{result};
      REQUIRE(store.one(update_by(t, long_delivery(), e, at(2))).result == write_status::applied);
    }
  }

  void end() { succeed(0, many); }
};

key row_key(std::size_t first) {
  return key{number, static_cast<std::uint32_t>(first)};
}

/// Those of all tasks, as the data file has them, by their keys.
std::map<std::string, std::string> rows_in(opened_store& store) {
  store.close();
  std::map<std::string, std::string> rows;
  {
    const lmdb::environment env{{store.path(), 1 << 26, true}};
    const auto txn = lmdb::transaction::reading(env);
    lmdb::cursor c{txn, txn.open_table("task_steps").value()};
    for (bool more = c.first(); more; more = c.next())
      rows.emplace(c.key(), c.value());
  }
  store.reopen();
  return rows;
}

void put(opened_store& store, const char* table, const key& k, const std::string& row) {
  tamper(store, [&](lmdb::transaction& txn) { txn.put(txn.make_table(table), k, row); });
}

std::string with_result(std::size_t size) {
  return '"' + std::string(size, 'r') + '"';
}

} // namespace

TEST_CASE("a step that changes rewrites its stretch, and a stretch to which nothing has happened has no row") {
  long_task x;
  CHECK(rows_in(x.store).size() == 1);
  x.succeed(0, 10);
  const auto before = rows_in(x.store);
  REQUIRE(before.size() == 2);
  x.succeed(10, 1);
  const auto after = rows_in(x.store);
  CHECK(after.size() == 2);
  CHECK(after.at(std::string{row_key(0).view()}) == before.at(std::string{row_key(0).view()}));
  CHECK(after.at(std::string{row_key(8).view()}) != before.at(std::string{row_key(8).view()}));
  CHECK(x.task().steps.size() == many);
  CHECK(x.task().steps[10].state == workflow::step_state::completed);
  CHECK(x.task().steps[11].state == workflow::step_state::running);
  CHECK(x.task().steps[12] == workflow::step{});
  CHECK(x.store->check().faults == faults{});
}

TEST_CASE("a row that takes over what did not change is as one that is written anew") {
  const auto submitted_at = GENERATE(as<workflow::instant>{}, workflow::unset, moment(5));
  const auto large = std::vector<large_result>{{1, 300, 7}};
  workflow::step_list before{std::vector<workflow::step>(3)};
  before.change(0).completed_at = moment(7);
  before.change(1).result = workflow::blob{with_result(300)};
  before.change(2).complete_by = moment(9);
  auto now = before;
  now.change(1).error = "refused";
  if (GENERATE(false, true))
    now.change(0).completed_at = moment(8);

  written_steps kept{{}, before.stretch_of(0), {}};
  task_steps_view v{submitted_at, &before, 0};
  v.places = &kept.places;
  kept.row = encode_record(row_key(0), v);
  task_steps_view next{submitted_at, &now, 0, large, kept.as_before()};
  const std::string made{encode_record(row_key(0), next)};
  CHECK(made == encode_record(row_key(0), task_steps_view{submitted_at, &now, 0, large}));
  next.submitted_at = moment(6);
  const std::string of_another_time{encode_record(row_key(0), next)};
  CHECK(of_another_time == encode_record(row_key(0), task_steps_view{moment(6), &now, 0, large}));
}

TEST_CASE("the record of a task takes over what did not change of its steps, and is as one that is written anew") {
  auto t = sample_task();
  t.submitted_at = GENERATE(as<workflow::instant>{}, workflow::unset, moment(5));
  const auto before = t;
  const std::vector<large_result> large{{1, 300, 7}};
  const task_state_view plain{&before, 3, 0, &large};
  auto v = plain;
  step_places places;
  v.places = &places;
  const std::string row{encode_record(row_key(0), v)};
  CHECK(row == encode_record(row_key(0), plain));

  t.steps.change(1).error = "refused";
  if (GENERATE(false, true))
    t.cause = "somebody said so, and this comes before the steps";
  if (GENERATE(false, true))
    t.submitted_at = moment(9);
  task_state_view next{&t, 4, 0, &large};
  const std::string anew{encode_record(row_key(0), next)};
  step_places next_places;
  next.places = &next_places;
  next.before = {row, &before.steps.stretch_of(0), &places};
  CHECK(anew == encode_record(row_key(0), next));
}

TEST_CASE("a task of a stretch of steps has no rows besides its own") {
  opened_store store;
  store.submit("a");
  store.one(success_of(store.take(), 0));
  CHECK(rows_in(store).empty());
}

TEST_CASE("row 66: steps that are missing, or are of another time, are not believed, and the task is set aside") {
  long_task x;
  x.succeed(0, 3);
  const auto before = rows_in(x.store);
  x.succeed(3, 8);
  const auto sound = x.task();
  const auto of = [&before](std::size_t first) { return before.at(std::string{row_key(first).view()}); };

  SECTION("missing") {
    tamper(x.store, [](lmdb::transaction& txn) { txn.erase(txn.make_table("task_steps"), row_key(8)); });
  }
  SECTION("of another time") {
    put(x.store, "task_steps", row_key(0), of(0));
  }
  SECTION("of another stretch") {
    put(x.store, "task_steps", row_key(8), of(0));
  }
  SECTION("one too many") {
    put(x.store, "task_steps", row_key(16),
        std::string{
          encode_record(row_key(16), task_steps{at(0), workflow::few_steps{std::vector<workflow::step>(4)}, {}})});
  }
  SECTION("behind the last") {
    put(x.store, "task_steps", row_key(24),
        std::string{
          encode_record(row_key(24), task_steps{at(0), workflow::few_steps{std::vector<workflow::step>(8)}, {}})});
  }
  CHECK_FALSE(x.store->find(number));
  CHECK(x.store->check().faults.size() == 1);
  const auto told = x.store->damaged();
  REQUIRE(told.size() == 1);
  CHECK(x.store.one(told[0]).result == write_status::applied);
  CHECK(x.store->check().faults == faults{});
  CHECK(x.store->damage_of("t"));
}

TEST_CASE("a task that was stored whole, before format 8, gets rows when it changes") {
  long_task x;
  x.succeed(0, 12, with_result(300));
  x.store.one(update_by(x.task(), long_delivery(), workflow::lock_released{}, at(3)));
  const auto sound = x.task();
  REQUIRE(sound.locked_by.empty());
  tamper(x.store, [&](lmdb::transaction& txn) {
    std::vector<large_result> large;
    for (std::uint32_t i = 12; i-- > 0;) // they were in any order then
      large.push_back({i, sound.steps[i].result.size(), hash_of(sound.steps[i].result.view())});
    const task_state_view whole{&sound, sound.revision, sound.payload.size(), &large};
    txn.put(txn.make_table("tasks"), key{number}, encode_record(key{number}, whole));
    for (const std::size_t first : {0U, 8U})
      txn.erase(txn.make_table("task_steps"), row_key(first));
  });
  CHECK(x.task() == sound);
  CHECK(x.store->check().faults == faults{});
  x.store.take("s2", 4); // which changes no step of the first stretch
  CHECK(rows_in(x.store).size() == 2);
  CHECK(x.task().steps[3] == sound.steps[3]);
  x.succeed(12, 1);
  x.succeed(13, many - 13);
  CHECK(x.task().state == workflow::process_state::processed);
  CHECK(x.store->check().faults == faults{});
}

TEST_CASE("a task of many steps is read with what the transaction has changed of them") {
  long_task x;
  x.succeed(0, 3);
  const auto t = x.task();
  const workflow::attempt_succeeded fourth{{3, t.steps[3].attempt, t.lock_epoch}, workflow::blob{"4"}, {}};
  auto other = order("t");
  other.workflow = "long";
  other.payload = workflow::blob{R"({"a": 2})"};
  const auto said = x.store->commit({update_by(t, long_delivery(), fourth, at(3)), submit_task{other, at(3)}});
  CHECK_THAT(said.back().to<submit_task>().why, Catch::Contains("key_conflict")); // it compares the whole task
  CHECK(x.task().steps[3].result.view() == "4");
  CHECK(x.store->check().faults == faults{});
}

TEST_CASE("with a task of many steps go all of its rows") {
  long_task x;
  x.succeed(0, many, with_result(300));
  CHECK(rows_in(x.store).size() == 3);
  CHECK(x.store.one(purge_ended{"long", {{}, 0}, 10, {}, at(2001)}).purged == 1);
  CHECK(rows_in(x.store).empty());
  CHECK_FALSE(x.store->find(number));
  CHECK(x.store->check().faults == faults{});
}

TEST_CASE("row 69: a task of many steps in a copy that is opened gets higher epochs, and goes on") {
  long_task x;
  x.succeed(0, 9, with_result(300));
  const auto there = x.task();
  const auto copy = x.store.path().parent_path() / "copy";
  const auto to = small_options(x.store.path().parent_path() / "new");
  x.store->copy(copy);
  restore(copy, to, false);
  lmdb_engine restored{to};
  const auto t = restored.find(number).value();
  CHECK(t.lock_epoch == there.lock_epoch + epoch_step);
  CHECK(t.steps == there.steps);
  CHECK(restored.check().faults == faults{});
}

TEST_CASE("row 63: what was acknowledged of a task of many steps is in the journal, and so is that it left") {
  long_task x{commits::shared};
  x.succeed(0, 11, with_result(300));
  const auto before = x.task();
  x.store.reopen(); // as after a kill
  CHECK(x.task() == before);
  CHECK(x.store->check().faults == faults{});
  x.succeed(11, many - 11);
  CHECK(x.store.one(purge_ended{"long", {{}, 0}, 10, {}, at(2001)}).purged == 1);
  x.store.reopen();
  CHECK_FALSE(x.store->find(number));
  CHECK(x.store->check().faults == faults{});
}

TEST_CASE("property: a task of any number of steps is stored as it is, whenever the process is killed") {
  tests::holds(60, 120, [] {
    tests::chooser choose{tests::some_choices()};
    const auto d = tests::large_definition(choose);
    opened_store store{choose.one_in(2) ? commits::shared : commits::alone};
    RC_ASSERT(store.one(register_definition{d}).result == write_status::applied);
    auto t = workflow::make_task(tests::submission_of(d), d, tests::start);
    t.number = number;
    t.revision = 1;
    RC_ASSERT(store.one(submit_task{tests::submission_of(d), tests::start}).created);
    auto now = tests::start;
    while (!choose.is_used_up()) {
      now = tests::random_moment(choose, t, d, now);
      auto event = tests::random_event(choose, t);
      if (auto* done = std::get_if<workflow::attempt_succeeded>(&event); done != nullptr && choose.one_in(3))
        done->result = workflow::blob{with_result(300)};
      auto change = workflow::apply(t, d, event, now);
      if (change.result == workflow::event_status::applied) {
        const auto o = store.one(update_by(t, d, event, now));
        INFO(o.why);
        RC_ASSERT(o.result == write_status::applied);
        t = std::move(change.next);
        t.revision = o.revision;
      }
      if (choose.one_in(10))
        store.reopen();
      if (choose.one_in(4))
        RC_ASSERT(store->find(number) == t);
    }
    store.reopen();
    RC_ASSERT(store->find(number) == t);
    RC_ASSERT(store->check().faults == faults{});
  });
}
