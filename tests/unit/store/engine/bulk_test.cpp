// Acts on many tasks in the store: what is noted in which commit, what is refused, and what stays of one that is over.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

#include "store/records/record.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

start_bulk suspend_all(std::uint64_t about = 0, std::int64_t seconds = 3) {
  start_bulk w;
  w.what.act = workflow::task_act::suspend;
  w.what.who = "ann";
  w.what.why = "the carrier is down";
  w.what.where = "workflow=delivery";
  w.what.filter = encode(task_filter{});
  w.what.about = about;
  w.now = at(seconds);
  return w;
}

/// The task takes the act as a part of that bulk act.
update_task suspend_in(std::uint64_t bulk, const workflow::task& t) {
  auto u = update_by(t, delivery(), workflow::suspended{{"ann", "the carrier is down"}}, at(4));
  u.bulk = bulk;
  return u;
}

advance_bulk page(std::uint64_t bulk, std::uint64_t position, bool is_last = false) {
  advance_bulk w;
  w.number = bulk;
  w.position = position;
  w.is_last = is_last;
  w.now = at(5);
  return w;
}

workflow::bulk_act bulk_act(opened_store& store, std::uint64_t number) {
  return store->find_bulk_act(number).acts.at(0);
}

std::size_t acts_of(opened_store& store, const std::string& id) {
  return store->find(id)->acts.size();
}

} // namespace

TEST_CASE("a bulk act that begins knows which tasks are there, and a later one has another number") {
  const auto how = GENERATE(commits::alone, commits::shared);
  opened_store store{how};
  for (const auto* id : {"a", "b", "c"})
    store.submit(id);
  const auto o = store.one(suspend_all(3));
  REQUIRE(o.result == write_status::applied);
  CHECK(o.number == 1);
  const auto b = bulk_act(store, 1);
  CHECK(b.beyond == 4);
  CHECK(b.position == 4);
  CHECK(b.about == 3);
  CHECK(b.who == "ann");
  CHECK(b.where == "workflow=delivery");
  CHECK(b.started_at == at(3));
  CHECK(store.one(suspend_all()).number == 2);
  store.reopen();
  CHECK(bulk_act(store, 1) == b);
  CHECK(store->bulk_acts(true, {}, 10).acts.size() == 2);
  CHECK(store->bulk_acts(true, 2, 10).acts.size() == 1);
  CHECK(store->bulk_acts(true, {}, 1).next == 2);
  CHECK(store->find_bulk_act(3).acts.empty());
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 147: whether a bulk act would begin is answered as if it did, and none begins or leaves") {
  opened_store store;
  auto asked = suspend_all();
  asked.is_question = true;
  CHECK(store.one(asked).result == write_status::applied);
  CHECK(store->bulk_acts(false, {}, 100).acts.empty());
  CHECK(store.one(suspend_all(0, 0)).number == 1);
  CHECK(store.one(suspend_all(0, 0)).number == 2);
  for (std::uint64_t number = 1; number <= 2; ++number)
    REQUIRE(store.one(stop_bulk{number, "ann", "", at(1)}).result == write_status::applied);
  asked.now = at(100'000'000); // by then the first may leave
  CHECK(store.one(asked).result == write_status::applied);
  CHECK(store->bulk_acts(false, {}, 100).acts.size() == 2);
  for (std::size_t n = 0; n < store_options{}.bulk_open_max; ++n)
    REQUIRE(store.one(suspend_all()).result == write_status::applied);
  CHECK(store.one(asked).result == write_status::refused);
  CHECK(store->check().faults.empty());
}

TEST_CASE("that a task took a bulk act is noted in the same commit, and it does not take it again after a restart") {
  const auto how = GENERATE(commits::alone, commits::shared);
  opened_store store{how};
  for (const auto* id : {"a", "b", "c"})
    store.submit(id);
  store.one(suspend_all(3));
  REQUIRE(store.one(suspend_in(1, *store->find("b"))).result == write_status::applied);
  store.reopen();
  CHECK(bulk_act(store, 1).done == 1);
  CHECK(bulk_act(store, 1).met == std::vector<std::uint64_t>{2});

  store.one(update_by(*store->find("b"), delivery(), workflow::resumed{{"bob", "not this one"}}, at(4)));
  const auto again = store.one(suspend_in(1, *store->find("b")));
  CHECK(again.result == write_status::absent);
  CHECK(acts_of(store, "b") == 2);

  CHECK(store->commit({suspend_in(1, *store->find("c")), page(1, 2)})[1].result == write_status::applied);
  CHECK(bulk_act(store, 1).met.empty());
  CHECK(bulk_act(store, 1).position == 2);
  CHECK(store.one(suspend_in(1, *store->find("a"))).result == write_status::applied);
  store.one(page(1, 0, true));
  CHECK(store->alerts(false, 10).size() == 1); // of the act that was no part of it
  const auto b = bulk_act(store, 1);
  CHECK(b.state == workflow::bulk_state::ended);
  CHECK(b.done == 3);
  CHECK(b.skipped == 0);
  CHECK(store->bulk_acts(true, {}, 10).acts.empty());
  CHECK(store->bulk_acts(false, {}, 10).acts.size() == 1);
  CHECK(store->check().faults.empty());
}

TEST_CASE("what did not take a bulk act is not counted as done") {
  opened_store store;
  store.submit("a");
  store.one(suspend_all(1));
  auto stale = suspend_in(1, *store->find("a"));
  stale.next.revision += 1;
  CHECK(store.one(stale).result == write_status::stale_lock);
  CHECK(bulk_act(store, 1).done == 0);
  CHECK(bulk_act(store, 1).met.empty());
}

TEST_CASE("a task that was submitted after a bulk act began does not take it") {
  opened_store store;
  store.submit("a");
  store.one(suspend_all(1));
  store.submit("b");
  CHECK(store.one(suspend_in(1, *store->find("b"))).result == write_status::absent);
  CHECK(store->find("b")->state == workflow::process_state::pending);
}

TEST_CASE("after the stop of a bulk act no task takes it, in the same commit neither") {
  opened_store store;
  for (const auto* id : {"a", "b"})
    store.submit(id);
  store.one(suspend_all(2));
  store.one(suspend_in(1, *store->find("b")));
  const auto o = store->commit({stop_bulk{1, "bob", "wrong filter", at(6)}, suspend_in(1, *store->find("a"))});
  CHECK(o[0].result == write_status::applied);
  CHECK(o[1].result == write_status::absent);
  CHECK(store->find("a")->state == workflow::process_state::pending);
  const auto b = bulk_act(store, 1);
  CHECK(b.state == workflow::bulk_state::stopped);
  CHECK(b.done == 1);
  CHECK(b.stopped_by == "bob");
  CHECK(store.one(stop_bulk{1, "bob", "", at(7)}).result == write_status::refused);
  CHECK(store.one(stop_bulk{2, "bob", "", at(7)}).result == write_status::absent);
}

TEST_CASE("refusals are kept with their reasons up to a bound, and counted above it") {
  opened_store store;
  store.one(suspend_all());
  auto w = page(1, 0);
  for (std::uint64_t i = 1; i <= workflow::bulk_refusals_max - 1; ++i)
    w.refused.push_back({i, "t" + std::to_string(i), "it has ended"});
  store.one(w);
  w.refused = {{5001, "x", std::string(1000, 'y')}, {5002, "y", "it has ended"}};
  store.one(w);
  const auto found = store->find_bulk_act(1);
  CHECK(found.acts.at(0).refused == workflow::bulk_refusals_max + 1);
  REQUIRE(found.refusals.size() == workflow::bulk_refusals_max);
  CHECK(found.refusals[0].task_id == "x");
  CHECK(found.refusals[0].why.size() == workflow::note_size_max);
  CHECK(found.refusals[1].task_id == "t999");
  REQUIRE(store.one(suspend_all()).number == 2);
  CHECK(store->find_bulk_act(2).refusals.empty());
  CHECK(store->check().faults.empty());
}

TEST_CASE("so many bulk acts are open and no more, and those that are over leave after a while") {
  auto options = small_options({});
  options.bulk_open_max = 2;
  options.bulk_keep_for = std::chrono::seconds{100};
  opened_store store{options};
  store.one(suspend_all());
  store.one(suspend_all());
  const auto third = store.one(suspend_all());
  CHECK(third.result == write_status::refused);
  CHECK(third.why == "2 bulk acts are open, and bulk.open_max allows no more: wait for one to end, or stop one");

  auto w = page(1, 0, true);
  w.refused = {{1, "a", "it has ended"}};
  store.one(w);
  CHECK(store.one(suspend_all(0, 104)).number == 3);
  CHECK(store->find_bulk_act(1).acts.size() == 1);
  store.one(page(3, 0, true));
  CHECK(store.one(suspend_all(0, 106)).number == 4);
  CHECK(store->find_bulk_act(1).acts.empty());
  CHECK(store->find_bulk_act(1).refusals.empty());
  CHECK(store->find_bulk_act(3).acts.size() == 1); // its number must not be given again
  CHECK(store->check().faults.empty());
}

TEST_CASE("of bulk acts that are over the newest hundred stay, however soon they follow each other") {
  opened_store store;
  for (std::uint64_t i = 1; i <= workflow::bulk_acts_kept + 20; ++i) {
    REQUIRE(store.one(suspend_all()).number == i);
    store.one(stop_bulk{i, "bob", "", at(6)});
  }
  CHECK(store->bulk_acts(false, {}, 1000).acts.size() == workflow::bulk_acts_kept);
  CHECK(store->find_bulk_act(1).acts.empty());
}

TEST_CASE("a bulk act that could not be is refused") {
  opened_store store;
  auto w = suspend_all();
  w.what.act = workflow::task_act::edit;
  CHECK(store.one(w).result == write_status::refused);
}

TEST_CASE("in a store that was restored from a copy, bulk acts are stopped: the original may have gone on with them") {
  opened_store store;
  store.submit("a");
  store.one(suspend_all(1));
  temporary_directory elsewhere;
  store->copy(elsewhere.path() / "copy");
  const lmdb_engine opened{small_options(elsewhere.path() / "copy")};
  const auto b = opened.find_bulk_act(1).acts.at(0);
  CHECK(b.state == workflow::bulk_state::stopped);
  CHECK(b.stopped_by == "(restored)");
}

TEST_CASE("the conditions of a bulk act are a record of their own, which can gain fields") {
  const auto filter = encode(sample_filter());
  CHECK(encode(decode<task_filter>(filter)) == filter);
}
