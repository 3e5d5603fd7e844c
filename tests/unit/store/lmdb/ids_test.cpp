// Clients' ids on their way: they gather, they are moved, their rows are dropped. Whoever asks sees nothing of it.

#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include "store/lmdb/id_filter.hpp"
#include "store/lmdb/recent_ids.hpp"
#include "store/lmdb/schema.hpp"
#include "store/records/record.hpp"
#include "tests/support/property.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <list>
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
      REQUIRE(store.submit(id_of(j), "another payload").result == write_status::refused);
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

TEST_CASE("a reader finds each id from its acknowledgement on, while the writer works") {
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
  REQUIRE(store->commit(batch).back().as<submit_result>().created);
  for (int i = others; i < others + 40; ++i) {
    INFO(i);
    REQUIRE_FALSE(store.submit("again").created);
    REQUIRE(store->check().faults == std::vector<std::string>{});
    store.submit(id_of(i));
  }
}

TEST_CASE("property: ids come in order out of any number of sorted runs") {
  tests::holds(100, 100, [] {
    std::list<recent_entry> entries;
    std::vector<ids_in_order::run> runs(*rc::gen::inRange<std::size_t>(1, 20));
    std::vector<std::string> all;
    for (const auto choice : tests::some_choices()) {
      all.push_back(std::to_string(choice) + "-" + std::to_string(entries.size()));
      entries.emplace_back(all.back(), recent_ref{});
      runs[choice % runs.size()].push_back(&entries.back());
    }
    std::erase_if(runs, [](const auto& r) { return r.empty(); });
    for (auto& r : runs)
      std::sort(r.begin(), r.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    std::sort(all.begin(), all.end());
    std::vector<std::string> come;
    for (ids_in_order left{runs}; !left.empty(); left.pop_first())
      come.push_back(left.first().first);
    RC_ASSERT(come == all);
  });
}

TEST_CASE("the filter of ids misses none of table ids, grows with it, and is seldom wrong about the others") {
  constexpr int rows = 20'000;
  opened_store store;
  store.close();
  lmdb::environment env{{store.path(), 1 << 26, false}};
  auto txn = lmdb::transaction::writing(env);
  const auto in = open_all_tables(txn);
  const auto id_at = [](int i) { return "id-" + std::to_string(i); };
  for (int i = 0; i < rows / 2; ++i)
    txn.put(in.ids, id_at(i), "row");
  id_filter filter{16};
  REQUIRE(filter.may_have("whatever, as long as nothing was read"));
  for (int i = rows / 2; i < rows; ++i) {
    filter.read_on(txn, in, 5);
    for (const int known : {i - rows / 2, i - 1})
      REQUIRE(filter.may_have(id_at(known)));
    filter.add(id_at(i));
    txn.put(in.ids, id_at(i), "row");
  }
  for (int i = 0; i < rows; ++i)
    filter.read_on(txn, in, 5);
  int wrong = 0;
  for (int i = 0; i < rows; ++i) {
    REQUIRE(filter.may_have(id_at(i)));
    wrong += filter.may_have(id_at(rows + i)) ? 1 : 0;
  }
  CHECK(wrong < rows / 100);
}

TEST_CASE("the filter of ids misses none of those behind the one that it read last, when that has left meanwhile") {
  constexpr int rows = 30;
  opened_store store;
  store.close();
  lmdb::environment env{{store.path(), 1 << 26, false}};
  auto txn = lmdb::transaction::writing(env);
  const auto in = open_all_tables(txn);
  const auto id_at = [](int i) { return "id-" + std::to_string(100 + i); };
  for (int i = 0; i < rows; ++i)
    txn.put(in.ids, id_at(i), "row");
  id_filter filter{64};
  for (int i = 0; i < rows; i += 3) {
    filter.read_on(txn, in, 3);
    filter.keep_position();
    txn.erase(in.ids, id_at(i + 2)); // where it stands
  }
  filter.read_on(txn, in, rows);
  REQUIRE_FALSE(filter.may_have("an id that nobody has"));
  for (int i = 0; i < rows; ++i)
    CHECK(filter.may_have(id_at(i)));
}

TEST_CASE("row 60: an id whose task was to leave in a commit that failed is still taken") {
  if (!has_strace()) {
    tests::skip("strace is not installed, or may not attach to a process here");
    return;
  }
  constexpr int tasks = 12;
  opened_store store;
  for (int i = 0; i < tasks; ++i) {
    store.submit(id_of(i));
    store.one(cancellation_of(store->find(id_of(i)).value()));
  }
  const auto options = store.options();
  store.close();
  // The disk is full for the batch, and for what is left of it without new work.
  const auto e = in_child_with_fault("pwrite64,pwritev:error=ENOSPC:when=1..2", [&](const say& speak) {
    lmdb_engine engine{options};
    try {
      engine.commit({purge_ended{"delivery", {{}, 0}, 100, {}, at(10)}, submit_task{order("new"), at(10)}});
      speak("the commit did not fail");
    } catch (const store_error&) { // as it should
    }
    for (int i = 0; i < tasks; ++i)
      if (engine.commit_one(submit_task{order(id_of(i)), at(11)}).created)
        speak("there is a second task for " + id_of(i));
    return engine.check().faults.empty() ? 0 : 1;
  });
  CHECK(e.lines == std::vector<std::string>{});
  CHECK(e.code == 0);
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
    CHECK(o.result == write_status::refused);
    CHECK(mentions(o.why, "damaged"));
    CHECK(store->find(1));
    CHECK_FALSE(store->check().faults.empty());
    store.submit(id_of(i));
  }
}
