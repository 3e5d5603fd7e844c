// A store that is one of several partitions.

#include "store/engine/lmdb_store.hpp"
#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

constexpr workflow::partition second_of_four{1, 4};

struct opened_partition {
  temporary_directory at;
  std::unique_ptr<local_store> store;

  opened_partition() : store{open()} {
    REQUIRE(store->commit_one(register_definition{delivery()}).result == write_status::applied);
  }

  store_options options(workflow::partition is = second_of_four) const {
    store_options o;
    o.path = at.store();
    o.journal_name = fresh_journal_name();
    o.partition = is;
    return o;
  }
  std::unique_ptr<local_store> open() const { return open_lmdb_store(options()); }
};

/// Ids of tasks that belong there.
std::vector<std::string> ids_of(const workflow::partition& p, std::size_t count) {
  std::vector<std::string> ids;
  for (int i = 0; ids.size() < count; ++i)
    if (auto id = "order-" + std::to_string(i); workflow::partition_of(id, p.count) == p.index)
      ids.push_back(id);
  return ids;
}

std::string why_not_opened(const store_options& o) {
  try {
    open_lmdb_store(o);
    return {};
  } catch (const store_error& e) {
    return e.what();
  }
}

TEST_CASE("partition: it numbers tasks, alerts and bulk acts as no other does, also after a restart") {
  opened_partition p;
  const auto ids = ids_of(second_of_four, 3);
  CHECK(p.store->commit_one(submit_task{order(ids[0]), at(1)}).number == 5);
  CHECK(p.store->commit_one(submit_task{order(ids[1]), at(1)}).number == 9);
  p.store.reset();
  p.store = p.open();
  CHECK(p.store->commit_one(submit_task{order(ids[2]), at(1)}).number == 13);
  record_act act;
  act.who = "ada";
  act.what = "looked";
  act.now = at(1);
  for (int i = 0; i < 2; ++i)
    REQUIRE(p.store->commit_one(act).result == write_status::applied);
  const auto alerts = p.store->alerts(false, 10);
  REQUIRE(alerts.size() == 2);
  CHECK(alerts[0].number == 9);
  CHECK(alerts[1].number == 5);
  CHECK(p.store->check().faults == std::vector<std::string>{});
}

TEST_CASE("partition: check tells of a task that belongs to another one") {
  opened_partition p;
  const auto ids = ids_of({2, 4}, 1);
  REQUIRE(p.store->commit_one(submit_task{order(ids[0]), at(1)}).created);
  const auto faults = p.store->check().faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] == "task 5 (" + ids[0] + "): it belongs to another partition");
}

TEST_CASE("partition: it is not opened as another one, nor as a whole store") {
  opened_partition p;
  p.store.reset();
  const auto place = p.at.store().string();
  CHECK(why_not_opened(p.options({2, 4}))
        == place + " is partition 1 of a store that has 4: name the folder that all of them are in");
  CHECK(why_not_opened(p.options({}))
        == place + " is partition 1 of a store that has 4: name the folder that all of them are in");
  CHECK(why_not_opened(p.options()).empty());
  const temporary_directory other;
  store_options whole;
  whole.path = other.store();
  open_lmdb_store(whole);
  whole.partition = second_of_four;
  CHECK(why_not_opened(whole)
        == "the store at " + other.store().string() + " is a whole one, and was to be one of 4 partitions");
}

TEST_CASE("partition: tasks that a limit counts together must be in one") {
  opened_partition p;
  auto d = delivery();
  d.name = "charge";
  d.limit = workflow::limit_rule{"/customer", 1};
  REQUIRE(p.store->commit_one(register_definition{d}).result == write_status::applied);
  const auto submit = [&](const std::string& id, const std::string& customer = "ada") {
    auto s = order(id, R"({"customer":")" + customer + "\"}");
    s.workflow = "charge";
    return p.store->commit_one(submit_task{s, at(1)});
  };
  const auto refused = submit("order-1");
  CHECK(refused.result == write_status::refused);
  CHECK(refused.why
        == "the store has 4 partitions, and its workflow limits tasks by payload:/customer: all before the first `/` "
           "of the id must be the same as in that key, `ada`");
  CHECK(submit("ada/order-1").created);
  CHECK(submit("ada").created);
  CHECK(submit("shop-7/1", "shop-7/eu").created); // then all of `shop-7/eu` are where `shop-7` is
  CHECK(submit("shop-7/us/2", "shop-7/eu").created);
  CHECK(submit("eu/3", "shop-7/eu").why.ends_with("the same as in that key, `shop-7`"));
  const std::string long_one(100, 'x');
  CHECK(submit(long_one + "/1", long_one).created);
  CHECK(submit(long_one.substr(1, 63) + "/2", long_one).result == write_status::refused);

  auto in_place = order("ada", R"({"customer":"bob"})");
  in_place.workflow = "charge";
  in_place.conflict = workflow::on_conflict::replace;
  CHECK(p.store->commit_one(submit_task{in_place, at(2)}).why.ends_with("the same as in that key, `bob`"));
  CHECK(p.store->find("ada")->limit->key == "ada");
  in_place.payload = workflow::blob{R"({"customer":"ada/2"})"};
  CHECK(p.store->commit_one(submit_task{in_place, at(2)}).why == "replaced");
  CHECK(p.store->find("ada")->limit->key == "ada/2");

  auto exported = *p.store->export_task("ada");
  exported.task.id = "order-1";
  const auto taken_in = [&] { return p.store->commit_one(import_task{exported, "eve", "moved", at(2)}); };
  CHECK(taken_in().why == refused.why);
  exported.task.id = "ada/7";
  CHECK(taken_in().result == write_status::applied);
}

} // namespace
