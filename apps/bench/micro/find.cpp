// One task by its id, as `task show` asks for it, with all its steps and results. Other questions wait meanwhile.

#include "apps/bench/micro/life.hpp"
#include "apps/bench/programs/scratch.hpp"
#include "store/engine/lmdb_store.hpp"

#include <benchmark/benchmark.h>

#include <utility>

namespace {

namespace store = steadfast::store;

void find_task(benchmark::State& state) {
  const bench::scratch folder;
  store::store_options o;
  o.path = folder.path() / "store";
  const auto s = store::open_lmdb_store(o);
  const auto d = bench::some_steps(static_cast<std::size_t>(state.range(0)));
  s->commit({store::register_definition{d}});
  const auto what = bench::submission_of(1);
  s->commit({store::submit_task{what, bench::some_day}});
  s->commit({store::claim_tasks{"bench", 1, bench::some_day}});
  store::update_task ended;
  ended.next = bench::states_of_a_life(d, 1).back();
  ended.next.revision = 2;
  ended.lock_epoch_before = 1;
  if (const auto said = s->commit({std::move(ended)}); said.front().result != store::write_status::applied)
    state.SkipWithError(said.front().why.c_str());
  for (auto _ : state)
    benchmark::DoNotOptimize(s->find(what.id));
}
BENCHMARK(find_task)->Arg(5)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

} // namespace
