// How many tasks of each workflow are unfinished is known from memory, and counted again by whoever opens the store.

#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <map>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using workflow::process_state;

namespace {

using by_state = std::map<process_state, std::uint64_t>;

/// Of that workflow; those of which there is none are left out.
by_state unfinished(opened_store& store, const std::string& workflow = "delivery") {
  const auto all = store->counts().unfinished;
  REQUIRE(all);
  by_state some;
  if (const auto of = all->find(workflow); of != all->end())
    for (const auto& [state, n] : of->second)
      if (n != 0)
        some[state] = n;
  return some;
}

void submit_many(opened_store& store, std::size_t count) {
  for (std::size_t made = 0; made < count;) {
    std::vector<store::write> batch;
    for (; batch.size() < 1000 && made < count; ++made)
      batch.emplace_back(submit_task{order("t" + std::to_string(made)), at(0)});
    store->commit(batch);
  }
}

} // namespace

TEST_CASE("unfinished tasks are counted by workflow and state, also after a restart") {
  const auto how = GENERATE(commits::alone, commits::shared);
  opened_store store{how};
  auto other = delivery();
  other.name = "other";
  store->commit({register_definition{other}});
  for (const auto* id : {"a", "b", "c"})
    store.submit(id);
  auto of_other = order("d");
  of_other.workflow = "other";
  store.one(submit_task{of_other, at(0)});
  CHECK(unfinished(store) == by_state{{process_state::pending, 3}});
  store.take();
  store.one(update_by(*store->find("b"), delivery(), workflow::cancelled{{"ann", "a mistake"}}, at(3)));
  store.one(update_by(*store->find("c"), delivery(), workflow::suspended{{"ann", "wait"}}, at(3)));
  const by_state expected{{process_state::processing, 1}, {process_state::suspended, 1}};
  CHECK(unfinished(store) == expected);
  store.reopen();
  CHECK(unfinished(store) == expected);
  CHECK(unfinished(store, "other") == by_state{{process_state::pending, 1}});
  store.one(update_by(*store->find("c"), delivery(), workflow::resumed{{"ann", "go on"}}, at(4)));
  CHECK(unfinished(store) == by_state{{process_state::processing, 1}, {process_state::pending, 1}});
}

TEST_CASE("row 66: a task that is set aside is not among the unfinished ones of its workflow") {
  opened_store store;
  auto victim = order("victim");
  victim.content_type = "type of the victim";
  store->commit({submit_task{victim, at(0)}, submit_task{order("other"), at(0)}});
  CHECK(unfinished(store) == by_state{{process_state::pending, 2}});
  tamper(store, [](lmdb::transaction& txn) {
    const auto table = txn.open_table("tasks").value();
    std::string row{txn.get(table, key{std::uint64_t{1}}).value()};
    row.back() = static_cast<char>(row.back() ^ 1);
    txn.put(table, key{std::uint64_t{1}}, row);
  });
  CHECK(store->list({}, {}, 10).tasks.size() == 1);
  auto told = store->damaged();
  REQUIRE(told.size() == 1);
  CHECK(store.one(told[0]).result == write_status::applied);
  CHECK(unfinished(store) == by_state{{process_state::pending, 1}});
}

TEST_CASE("many unfinished tasks are counted part by part, while they change") {
  constexpr std::size_t count = 25'000;
  opened_store store{commits::shared};
  submit_many(store, count);
  store->save();
  store.reopen();
  CHECK_FALSE(store->counts().unfinished); // a part of them is not told as all
  std::atomic<bool> are_counted = false;
  const std::jthread reader{[&] {
    while (!store->counts().unfinished) {
    }
    are_counted = true;
  }};
  std::size_t taken = 0;
  for (int round = 0; round < 40; ++round) {
    const auto claimed = store.one(claim_tasks{"s1", 100, at(1)});
    taken += claimed.tasks.size();
    store.submit("new" + std::to_string(round));
    if (round % 3 == 0 || store.is_awaited.exchange(false))
      store->save();
  }
  while (!are_counted) // it waits for that
    store->save();
  CHECK(taken == 4000);
  CHECK(unfinished(store)
        == by_state{{process_state::pending, count + 40 - taken}, {process_state::processing, taken}});
}
