// Tasks are found by values of their payloads, where their workflow says so.

#include "simulation/judge/count_all.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using id_texts = std::vector<std::string>;
using namespace std::chrono_literals;

namespace {

workflow::definition indexed(std::uint32_t version = 2) {
  auto d = delivery(version);
  d.index = {"/customer", "/region"};
  return d;
}

task_filter having(std::vector<workflow::payload_value> values) {
  task_filter f;
  f.payload = std::move(values);
  return f;
}

id_texts found(state_store& store, const task_filter& f) {
  id_texts ids;
  for (const auto& t : store.list(f, {}, 100).tasks)
    ids.push_back(t.id);
  return ids;
}

id_texts found(state_store& store, const std::string& customer) {
  return found(store, having({{"/customer", customer}}));
}

id_texts faults_in(opened_store& store) {
  return store->check().faults;
}

void submit_some(opened_store& store) {
  store.one(register_definition{indexed()});
  store.submit("a", R"({"customer":"c-77","region":1})");
  store.submit("b", R"({"customer":"c-78","region":1})");
  store.submit("c", R"({"customer":"c-77","region":2})");
  store.submit("d", R"({"customer":"c-7"})");
  store.submit("e", "no JSON");
}

} // namespace

TEST_CASE("tasks are listed and counted by a value of their payload, newest first and page by page") {
  for (const auto how : {commits::alone, commits::shared}) {
    opened_store store{how};
    submit_some(store);
    CHECK(found(*store, "c-77") == id_texts{"c", "a"});
    CHECK(found(*store, "c-7") == id_texts{"d"});
    CHECK(found(*store, "c-").empty());
    CHECK(found(*store, having({{"/region", "1"}})) == id_texts{"b", "a"});
    CHECK(found(*store, having({{"/customer", "c-77"}, {"/region", "1"}})) == id_texts{"a"});
    CHECK(simulation::count_all(*store, having({{"/customer", "c-77"}})) == 2);
    const auto page = store->list(having({{"/customer", "c-77"}}), {}, 1);
    REQUIRE(page.next);
    CHECK(store->list(having({{"/customer", "c-77"}}), page.next, 1).tasks.at(0).id == "a");
    auto pending = having({{"/customer", "c-77"}});
    pending.states = {workflow::process_state::processed};
    CHECK(found(*store, pending).empty());
    CHECK(faults_in(store).empty());
  }
}

TEST_CASE("what is only in the journal is found after a restart") {
  opened_store store{commits::shared};
  submit_some(store);
  store.reopen();
  CHECK(found(*store, "c-77") == id_texts{"c", "a"});
  CHECK(faults_in(store).empty());
}

TEST_CASE("a workflow without an index has no entries, and a task keeps to the version that it was made from") {
  opened_store store;
  store.submit("old", R"({"customer":"c-77"})");
  CHECK(found(*store, "c-77").empty());
  store.one(register_definition{indexed()});
  store.submit("new", R"({"customer":"c-77"})");
  CHECK(found(*store, "c-77") == id_texts{"new"});
  CHECK(faults_in(store).empty());
}

TEST_CASE("a payload that a person changes is found by its new value only") {
  opened_store store;
  submit_some(store);
  auto edited = *store->find("a");
  edited.payload = workflow::blob{R"({"customer":"c-79","region":1})"};
  update_task u;
  u.next = edited;
  u.payload_changed = true;
  CHECK(store.one(u).result == write_status::applied);
  CHECK(found(*store, "c-77") == id_texts{"c"});
  CHECK(found(*store, "c-79") == id_texts{"a"});
  CHECK(found(*store, having({{"/region", "1"}})) == id_texts{"b", "a"});
  CHECK(faults_in(store).empty());
}

TEST_CASE("a task that leaves takes its entries in the index with it") {
  opened_store store;
  submit_some(store);
  const auto t = store.take();
  REQUIRE(t.id == "a");
  store.one(success_of(t, 0));
  store.one(success_of(*store->find("a"), 1));
  const auto o = store.one(purge_ended{"delivery", {workflow::span{1}, {}}, 10, {}, at(1000)});
  CHECK(o.purged == 1);
  CHECK(found(*store, "c-77") == id_texts{"c"});
  CHECK(found(*store, having({{"/region", "1"}})) == id_texts{"b"});
  CHECK(faults_in(store).empty());
}

TEST_CASE("an imported task is found by its payload") {
  opened_store from;
  submit_some(from);
  opened_store to;
  CHECK(to.one(import_task{*from->export_task("a"), "ann", "moved", at(10)}).result == write_status::applied);
  CHECK(found(*to, "c-77") == id_texts{"a"});
  CHECK(faults_in(to).empty());
}

TEST_CASE("check tells of entries of the index that are missing or that nobody has") {
  opened_store store;
  submit_some(store);
  const auto change = [&](auto f) {
    store.close();
    {
      lmdb::environment env{{store.path(), 1 << 26}};
      auto txn = lmdb::transaction::writing(env);
      f(txn, *txn.open_table("payload_index"));
      txn.commit();
    }
    store.reopen();
  };
  const auto of_c = payload_index_key({"/customer", "c-77"}, 3);
  change([&](lmdb::transaction& txn, lmdb::table t) { txn.erase(t, of_c); });
  CHECK(faults_in(store) == id_texts{"task 3 (c): missing in table payload_index with the value at /customer"});
  change([&](lmdb::transaction& txn, lmdb::table t) {
    txn.put(t, of_c, {});
    txn.put(t, payload_index_key({"/customer", "c-99"}, 3), {});
  });
  CHECK(faults_in(store) == id_texts{"table payload_index has 8 entries where there should be 7"});
}
