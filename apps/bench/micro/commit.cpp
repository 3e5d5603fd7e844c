// Whole lives of tasks in a store on this disk: seven synced commits for so many tasks at a time. First as the store
// makes them, then the same keys and records put into bare LMDB, which shows what the disk and the trees cost alone. An
// item is a task.

#include "apps/bench/micro/life.hpp"
#include "apps/bench/programs/scratch.hpp"
#include "store/engine/lmdb_store.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/records/record.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <utility>

namespace {

namespace lmdb = steadfast::store::lmdb;
namespace store = steadfast::store;
namespace workflow = steadfast::workflow;

using writes = std::vector<store::write>;

/// The batches that take tasks `first` to `first` + count through their lives.
std::vector<writes> life_of(const workflow::definition& d, std::uint64_t first, std::size_t count) {
  const auto events = bench::events_of_a_life();
  std::vector<writes> batches(events.size() + 1);
  for (std::uint64_t n = first; n < first + count; ++n) {
    const auto states = bench::states_of_a_life(d, n);
    batches[0].emplace_back(store::submit_task{bench::submission_of(n), bench::some_day});
    for (std::size_t i = 2; i < states.size(); ++i) {
      store::update_task u;
      u.next = states[i];
      u.next.revision = i;
      u.lock_epoch_before = 1;
      batches[i].emplace_back(std::move(u));
    }
  }
  batches[1].emplace_back(store::claim_tasks{"bench", count, bench::some_day});
  return batches;
}

void lives_in_store(benchmark::State& state) {
  const bench::scratch folder;
  store::store_options o;
  o.path = folder.path() / "store";
  const auto s = store::open_lmdb_store(o);
  const auto d = bench::five_steps();
  s->commit({store::register_definition{d}});
  const auto count = static_cast<std::size_t>(state.range(0));
  std::uint64_t next = 1;
  for (auto _ : state) {
    state.PauseTiming();
    const auto batches = life_of(d, next, count);
    next += count;
    state.ResumeTiming();
    for (const auto& b : batches)
      for (const auto& x : s->commit(b))
        if (x.result != store::write_status::applied)
          state.SkipWithError(x.why.c_str());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(lives_in_store)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);

// ---- bare LMDB ----

struct record_at {
  store::index_position place;
  std::string bytes;
};

/// What is put for one task, by state.
struct stored_life {
  std::uint64_t number = 0;
  std::string id;
  std::string ref;
  std::string payload;
  std::vector<record_at> states;
};

stored_life stored(const workflow::definition& d, std::uint64_t number) {
  const std::vector<store::large_result> large;
  stored_life x;
  x.number = number;
  const store::key k{number};
  for (const auto& t : bench::states_of_a_life(d, number)) {
    x.states.push_back(
      {store::index_position_of(t, d),
       std::string{store::encode_record(k, store::task_state_view{&t, t.revision, t.payload.size(), &large})}});
    x.id = t.id;
    x.payload = store::encode_record(k, store::payload_record{t.payload});
  }
  x.ref = store::encode_record(x.id, store::task_ref{number, {}});
  return x;
}

void put_state(lmdb::transaction& txn, const store::tables& in, const stored_life& x, std::size_t i) {
  const store::key k{x.number};
  txn.put(in.tasks, k, x.states[i].bytes);
  store::move_in_queue(txn, in, x.number, i > 0 ? x.states[i - 1].place : store::index_position{}, x.states[i].place);
  if (i > 0)
    return store::move_in_lists(txn, in, x.number, x.states[i - 1].place, x.states[i].place);
  txn.put(in.ids, x.id, x.ref);
  txn.put(in.payloads, k, x.payload);
  store::add_to_lists(txn, in, x.number, x.states[i].place);
}

void lives_in_bare_lmdb(benchmark::State& state) {
  const bench::scratch folder;
  lmdb::environment env{{folder.path(), 8ULL << 30}};
  store::tables in;
  {
    auto txn = lmdb::transaction::writing(env);
    for (const auto& t : store::all_tables)
      in.*t.table = txn.make_table(t.name);
    txn.commit();
  }
  const auto d = bench::five_steps();
  const auto count = static_cast<std::size_t>(state.range(0));
  std::uint64_t next = 1;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<stored_life> lives;
    for (std::size_t i = 0; i < count; ++i)
      lives.push_back(stored(d, next++));
    state.ResumeTiming();
    for (std::size_t i = 0; i < lives.front().states.size(); ++i) {
      auto txn = lmdb::transaction::writing(env);
      for (const auto& x : lives)
        put_state(txn, in, x, i);
      txn.commit();
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(lives_in_bare_lmdb)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);

} // namespace
