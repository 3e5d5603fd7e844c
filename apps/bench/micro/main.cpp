// Google Benchmark has the options: --benchmark_filter=..., --benchmark_format=json.

#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
