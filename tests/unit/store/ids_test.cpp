// Clients' ids on their way: they gather, they are moved, their rows are dropped. Whoever asks sees nothing of it.

#include "support.hpp"

#include "store/record.hpp"
#include "store/schema.hpp"
#include "tests/support/property.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <set>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

std::uint64_t rows(opened_store& store, const char* table) {
  store.close();
  std::uint64_t count = 0;
  {
    const lmdb::environment env{{store.path(), 1 << 26, true}};
    const auto txn = lmdb::transaction::reading(env);
    count = txn.entries(txn.open_table(table).value());
  }
  store.reopen();
  return count;
}

/// Ids that come in no order.
std::string id_of(int i) {
  return std::to_string(i * 7919 % 1000) + "-" + std::to_string(i);
}

update_task cancellation_of(const workflow::task& t) {
  return update_by(t, delivery(), workflow::cancelled{{"ann", "no longer wanted"}}, at(2));
}

} // namespace

TEST_CASE("row 2: an id makes one task and is found, wherever it is on its way") {
  const bool is_reopened = GENERATE(false, true);
  opened_store store;
  for (int i = 0; i < 40; ++i) {
    REQUIRE(store.submit(id_of(i)).created);
    if (is_reopened)
      store.reopen();
    for (int j = 0; j <= i; ++j) {
      INFO(i << ", " << j);
      REQUIRE(store->find(id_of(j)).value().number == static_cast<std::uint64_t>(j + 1));
      REQUIRE_FALSE(store.submit(id_of(j)).created);
      REQUIRE(store.submit(id_of(j), "another payload").result == verdict::refused);
      REQUIRE(store->export_task(id_of(j)));
    }
    REQUIRE(store->check().faults == std::vector<std::string>{});
  }
}

TEST_CASE("ids leave the table of recent ones, and it stays small") {
  opened_store store;
  for (int i = 0; i < 60; ++i)
    store.submit(id_of(i));
  CHECK(rows(store, "ids") >= 50);
  CHECK(rows(store, "recent_ids") <= 2 * store.options().recent_ids_max);
}

TEST_CASE("who only looks at a store finds every id, too") {
  opened_store store;
  for (int i = 0; i < 20; ++i) {
    store.submit(id_of(i));
    auto to_look = store.options();
    to_look.read_only = true;
    const lmdb_engine seen{to_look};
    for (int j = 0; j <= i; ++j)
      CHECK(seen.find(id_of(j)));
    CHECK_FALSE(seen.find("nobody"));
  }
}

TEST_CASE("a reader beside the writer finds each id from its acknowledgement on") {
  const auto how = GENERATE(commits::alone, commits::shared);
  opened_store store{how};
  std::atomic<int> acknowledged = 0;
  std::atomic<int> missed = 0;
  std::atomic<bool> is_done = false;
  std::thread reader{[&] {
    while (acknowledged < 400) {
      const int last = acknowledged;
      for (int i = std::max(0, last - 20); i < last; ++i)
        missed += store->find(id_of(i)) ? 0 : 1;
    }
    is_done = true;
  }};
  const auto save_when_awaited = [&] {
    if (store.is_awaited.exchange(false))
      store->save();
  };
  for (int i = 0; i < 400; ++i) {
    store.submit(id_of(i));
    ++acknowledged;
    save_when_awaited();
  }
  while (!is_done)
    save_when_awaited();
  reader.join();
  CHECK(missed == 0);
}

TEST_CASE("property: whatever comes, leaves and is restarted, an id is taken as long as its task is there") {
  tests::holds(30, 60, [] {
    opened_store store{*rc::gen::arbitrary<bool>() ? commits::shared : commits::alone};
    std::set<std::string> there;
    int known = 0;
    for (const auto choice : tests::some_choices()) {
      const auto what = choice % 9;
      if (what == 8) {
        store->save();
      } else if (what == 0) {
        store.reopen();
      } else if (what == 1) {
        store.one(purge_ended{"delivery", {{}, 0}, 3, {}, at(10)});
        for (auto i = there.begin(); i != there.end();)
          i = store->find(*i) ? std::next(i) : there.erase(i);
      } else if (what < 4) {
        const auto id = id_of(static_cast<int>(choice % (static_cast<unsigned>(known) + 1)));
        if (const auto t = store->find(id); t && t->state == workflow::process_state::pending)
          store.one(cancellation_of(*t));
      } else {
        std::vector<store::write> batch;
        for (unsigned n = 0; n < choice % 5; ++n, ++known) {
          batch.emplace_back(submit_task{order(id_of(known)), at(0)});
          there.insert(id_of(known));
        }
        store->commit(batch);
      }
      for (int i = 0; i < known; ++i)
        RC_ASSERT(store->find(id_of(i)).has_value() == (there.count(id_of(i)) == 1));
    }
    RC_ASSERT(store->check().faults == std::vector<std::string>{});
    for (const auto& id : there)
      RC_ASSERT(!store.submit(id).created);
  });
}

TEST_CASE("an id that leaves and comes again in one batch is moved once, as the new one") {
  const int others = GENERATE(range(0, 20));
  opened_store store;
  store.submit("again");
  store.one(cancellation_of(store->find("again").value()));
  for (int i = 0; i < others; ++i)
    store.submit(id_of(i));
  std::vector<store::write> batch;
  batch.emplace_back(purge_ended{"delivery", {{}, 0}, 3, {}, at(10)});
  batch.emplace_back(submit_task{order("again"), at(10)});
  REQUIRE(store->commit(batch).back().created);
  for (int i = others; i < others + 40; ++i) {
    INFO(i);
    REQUIRE_FALSE(store.submit("again").created);
    REQUIRE(store->check().faults == std::vector<std::string>{});
    store.submit(id_of(i));
  }
}

TEST_CASE("row 66: the id of a damaged row stays taken, also when it is moved") {
  opened_store store;
  store.submit("victim");
  store.close();
  {
    lmdb::environment env{{store.path(), 1 << 26, false}};
    auto txn = lmdb::transaction::writing(env);
    const auto recent = txn.open_table("recent_ids").value();
    const key k{std::uint64_t{1}};
    std::string row{txn.get(recent, k).value()};
    row.back() = static_cast<char>(row.back() ^ 1);
    txn.put(recent, k, row);
    txn.commit();
  }
  store.reopen();
  for (int i = 0; i < 30; ++i) {
    INFO(i);
    const auto o = store.submit("victim");
    CHECK(o.result == verdict::refused);
    CHECK(mentions(o.why, "damaged"));
    CHECK(store->find(1));
    CHECK_FALSE(store->check().faults.empty());
    store.submit(id_of(i));
  }
}
