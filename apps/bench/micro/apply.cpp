// The rules: what a task costs without store and messages. An item is a task.

#include "apps/bench/micro/life.hpp"
#include "workflow/task/invariants.hpp"

#include <benchmark/benchmark.h>

namespace {

namespace workflow = steadfast::workflow;

void apply_whole_life(benchmark::State& state) {
  const auto d = bench::five_steps();
  const auto events = bench::events_of_a_life();
  const auto s = bench::submission_of(1);
  for (auto _ : state) {
    auto t = workflow::make_task(s, d, bench::some_day);
    for (const auto& e : events)
      t = workflow::apply(t, d, e, bench::some_day).next;
    if (t.state != workflow::process_state::processed)
      state.SkipWithError("the task was not processed");
    benchmark::DoNotOptimize(t);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(apply_whole_life);

/// As the store does before each write and after each read.
void invariants_whole_life(benchmark::State& state) {
  const auto d = bench::five_steps();
  const auto states = bench::states_of_a_life(d, 1);
  for (auto _ : state)
    for (const auto& t : states)
      benchmark::DoNotOptimize(workflow::broken_invariants(t, d));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(invariants_whole_life);

void copy_whole_life(benchmark::State& state) {
  const auto states = bench::states_of_a_life(bench::five_steps(), 1);
  for (auto _ : state)
    for (const auto& t : states) {
      auto copy = t;
      benchmark::DoNotOptimize(copy);
    }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(copy_whole_life);

} // namespace
