// What a check tells of records and index entries that do not go together. Each damage is made in a transaction that is
// undone.

#include "tests/unit/store/support.hpp"

#include "store/lmdb/lmdb.hpp"
#include "store/records/record.hpp"
#include "store/upkeep/check.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

using texts = std::vector<std::string>;

/// The data file of a store that was closed: task 1 has ended, with a notice for `shop` and late replies; 2 is locked;
/// 3 and 4 wait.
class looked_at_store {
public:
  looked_at_store() {
    store_.one(register_definition{with_index()});
    auto ended = order("ended");
    ended.reply_to = "shop";
    store_.one(submit_task{ended, at(0)});
    store_.one(success_of(store_.take(), 0));
    store_.one(success_of(*store_->find("ended"), 1));
    store_.one(keep_late_reply{1, {"drone", 1, 1, "attempt_failed", "late", at(3)}});
    store_.submit("locked");
    store_.take();
    const auto ready = order("ready", R"({"customer":"ada"})");
    auto delayed = order("delayed");
    delayed.not_before = at(1000);
    store_->commit({submit_task{ready, at(4)}, submit_task{delayed, at(4)}});
    store_.one(acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(5)});
    store_.close();
    env_.emplace(lmdb::environment_settings{store_.path(), 1 << 26});
    auto txn = lmdb::transaction::reading(*env_);
    in_ = open_all_tables(txn);
    txn.commit(); // keeps the handles
  }

  texts faults_after(const std::function<void(lmdb::transaction&, const tables&)>& damage) {
    auto txn = lmdb::transaction::writing(*env_);
    damage(txn, in_);
    definition_cache definitions;
    return check_records(txn, in_, {txn, in_, definitions}).faults;
  }

  /// The only fault.
  std::string fault_after(const std::function<void(lmdb::transaction&, const tables&)>& damage) {
    const auto all = faults_after(damage);
    REQUIRE(all.size() == 1);
    return all[0];
  }

private:
  static workflow::definition with_index() {
    auto d = delivery(2);
    d.index = {"/customer"};
    return d;
  }

  opened_store store_;
  std::optional<lmdb::environment> env_;
  tables in_;
};

template <class T>
void put_record(lmdb::transaction& txn, lmdb::table t, std::string_view k, const T& value) {
  txn.put(t, k, encode_record(k, value));
}

constexpr std::uint64_t nobody = 99; ///< no task has that number

} // namespace

TEST_CASE("row 66: index entries that are missing, or one too many, are told of by their table") {
  looked_at_store store;
  REQUIRE(store.faults_after([](auto&, auto&) {}) == texts{});
  for (const std::string name : {"states", "deadlines", "ready", "delayed", "locked", "ended", "payload_index"}) {
    INFO(name);
    const auto stray = store.fault_after(
      [&](lmdb::transaction& txn, const tables&) { txn.put(txn.open_table(name).value(), key{nobody}, {}); });
    CHECK(mentions(stray, "table " + name + " has "));
    const auto missing = store.faults_after([&](lmdb::transaction& txn, const tables&) {
      const auto t = txn.open_table(name).value();
      std::string first;
      if (lmdb::cursor c{txn, t}; c.first())
        first = c.key();
      REQUIRE(txn.erase(t, first));
    });
    REQUIRE_FALSE(missing.empty());
    CHECK(mentions(missing[0], "missing in table"));
    CHECK(mentions(missing[0], name));
  }
}

TEST_CASE("row 66: an id that leads to another task, or to none, is told of") {
  looked_at_store store;
  const auto told_of = [&](const std::string& id, std::uint64_t number) {
    return store.fault_after([&](auto& txn, const tables& in) { put_record(txn, in.ids, id, task_ref{number, {}}); });
  };
  CHECK(told_of("another", 2) == "id another: it leads to another task");
  CHECK(told_of("another", nobody) == "id another: there is no task 99");
  CHECK(store.fault_after([](auto& txn, const tables& in) {
    put_record(txn, in.recent_ids, key{std::uint64_t{2}}, recent_id{"another", {}});
  }) == "id of task 2: it is another one's");
}

TEST_CASE("row 66: two tasks of one id are told of") {
  looked_at_store store;
  const auto told = [&](const std::function<void(lmdb::transaction&, const tables&)>& find_by_id) {
    return store.faults_after([&](lmdb::transaction& txn, const tables& in) {
      const key delayed{std::uint64_t{4}};
      auto x = decode_record<task_state>(delayed, *txn.get(in.tasks, delayed));
      x.task.id = "ready"; // as task 3
      put_record(txn, in.tasks, delayed, x);
      for (const std::uint64_t number : {3U, 4U})
        txn.erase(in.recent_ids, key{number});
      for (const auto* id : {"ready", "delayed"})
        txn.erase(in.ids, id);
      find_by_id(txn, in);
    });
  };
  CHECK(told([](auto& txn, const tables& in) {
          put_record(txn, in.ids, std::string{"ready"}, task_ref{3, {}});
        })
        == texts{"task 4 (ready): another task has its id"});
  CHECK(told([](auto& txn, const tables& in) {
          for (const std::uint64_t number : {3U, 4U})
            put_record(txn, in.recent_ids, key{number}, recent_id{"ready", {}});
        })
        == texts{"task 3 (ready): another task has its id"});
}

TEST_CASE("row 66: notices that no task gave, and what belongs to no task, are told of") {
  looked_at_store store;
  const auto told_of = [&](const std::string& observer, std::uint32_t sequence) {
    return store.fault_after([&](auto& txn, const tables& in) {
      notice_record x;
      x.task_id = "ended";
      x.what.sequence = sequence;
      put_record(txn, in.notices, notice_key(observer, 1, sequence), x);
    });
  };
  CHECK(told_of("shop", 1000) == "notice 1000 of task 1: the task never gave it");
  CHECK(told_of("another", 1) == "notice 1 of task 1: the task never gave it");
  CHECK(store.fault_after([](auto& txn, const tables& in) { txn.put(in.payloads, key{nobody}, {}); })
        == "payload of task 99: there is no such task");
}

TEST_CASE("row 66: numbers and epochs above those that were given are told of") {
  looked_at_store store;
  const auto with = [&](auto change) {
    return store.faults_after([&](lmdb::transaction& txn, const tables& in) {
      auto c = decode_record<counters>(counters_key, txn.get(in.meta, counters_key).value());
      change(c);
      put_record(txn, in.meta, counters_key, c);
    });
  };
  CHECK(with([](counters& c) { --c.last_epoch; }) == texts{"counters: a lease has an epoch that was not given yet"});
  CHECK(with([](counters& c) { --c.last_task; })
        == texts{"counters: there are not as many tasks as numbers were given",
                 "counters: a task has a number that was not given yet"});
  CHECK(with([](counters& c) { ++c.tasks[1]; }) == texts{"counters: the tasks by state are not as many"});
  CHECK(store.fault_after([](auto& txn, const tables& in) {
    lease_record x;
    x.what.name = "another";
    x.what.epoch = nobody;
    put_record(txn, in.leases, "another", x);
  }) == "counters: a lease has an epoch that was not given yet");
}

TEST_CASE("P28: of many faults a thousand are told") {
  looked_at_store store;
  const auto faults = store.faults_after([](auto& txn, const tables& in) {
    for (std::uint64_t i = nobody; i < nobody + 1500; ++i)
      txn.put(in.payloads, key{i}, {});
  });
  CHECK(faults.size() == 1000);
}
