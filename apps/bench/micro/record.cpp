// The codec, by the number of steps that are done: -1 is a new task, 0 one that was taken, 5 one that has ended.

#include "store/records/record.hpp"
#include "apps/bench/micro/life.hpp"
#include "store/records/key.hpp"

#include <benchmark/benchmark.h>

namespace {

namespace store = steadfast::store;
namespace workflow = steadfast::workflow;

const workflow::task& task_after(std::int64_t steps) {
  static const auto states = bench::states_of_a_life(bench::five_steps(), 1);
  return states[static_cast<std::size_t>(steps + 1)];
}

void encode_state(benchmark::State& state) {
  const auto& t = task_after(state.range(0));
  const std::vector<store::large_result> large;
  const store::task_state_view view{&t, t.revision, t.payload.size(), &large};
  const store::key k{t.number};
  std::size_t size = 0;
  for (auto _ : state)
    size = store::encode_record(k, view).size();
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK(encode_state)->DenseRange(-1, 5);

void decode_state(benchmark::State& state) {
  const auto& t = task_after(state.range(0));
  const std::vector<store::large_result> large;
  const store::key k{t.number};
  const std::string bytes{store::encode_record(k, store::task_state_view{&t, t.revision, t.payload.size(), &large})};
  for (auto _ : state)
    benchmark::DoNotOptimize(store::decode_record<store::task_state>(k, bytes));
}
BENCHMARK(decode_state)->DenseRange(-1, 5);

/// As it goes from node to node.
void encode_sent_update(benchmark::State& state) {
  store::update_task u;
  u.next = task_after(state.range(0));
  const store::write w{u};
  std::size_t size = 0;
  for (auto _ : state)
    size = store::encode(w).size();
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK(encode_sent_update)->Arg(0)->Arg(5);

} // namespace
