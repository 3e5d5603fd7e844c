// Measures what this machine does with tasks: how many, how quickly, at which cost.

#include "apps/bench/part.hpp"
#include "apps/bench/scenario.hpp"
#include "apps/commands.hpp"
#include "apps/failure.hpp"
#include "apps/interrupt.hpp"
#include "apps/node_access.hpp"
#include "apps/scratch_folder.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/utsname.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace steadfast::apps {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct bench_arguments {
  std::string part; ///< what this process is to be, when another one measures
  std::string folder = ".";
  std::vector<std::uint32_t> in_flight;
  double seconds = 5;
  bench::workload load;
  bool json = false;
};

bench::scenario closed_loop(const bench_arguments& g, std::uint32_t in_flight) {
  bench::scenario s;
  s.name = fmt::format("closed loop, {} in flight", in_flight);
  s.load = g.load;
  s.plan.in_flight = in_flight;
  s.plan.seconds = g.seconds;
  return s;
}

std::vector<bench::scenario> chosen_scenarios(const bench_arguments& g) {
  std::vector<bench::scenario> all;
  for (const auto n : g.in_flight.empty() ? std::vector<std::uint32_t>{1, 16, 64, 256, 4096} : g.in_flight)
    all.push_back(closed_loop(g, n));
  return all;
}

json machine_json() {
  utsname machine{};
  uname(&machine);
  return {{"cores", std::thread::hardware_concurrency()},
          {"system", std::string{machine.sysname} + " " + machine.release + " " + machine.machine},
          {"version", STEADFAST_VERSION}};
}

int bench_all(const bench_arguments& g) {
  const interrupt_guard guard;
  const auto scenarios = chosen_scenarios(g);
  json results = json::array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    std::cerr << fmt::format("[{}/{}] {}\n", i + 1, scenarios.size(), scenarios[i].name);
    const scratch_folder folder{g.folder};
    results.push_back(bench::measure(scenarios[i], folder.path()));
    if (!g.json)
      std::cout << bench::text_of(results.back()) << std::flush;
  }
  if (g.json)
    print_json({{"machine", machine_json()}, {"workload", g.load}, {"measured", results}});
  return done;
}

int bench_command(const bench_arguments& g) {
  if (!g.part.empty())
    return bench::be_part(json::parse(g.part).get<bench::part_setup>());
  return bench_all(g);
}

} // namespace

void add_bench(CLI::App& to, command& chosen) {
  auto g = std::make_shared<bench_arguments>();
  auto* sub = to.add_subcommand("bench", "Measure what this machine does with tasks, durably, on its disk");
  sub->add_option("--part", g->part)->group(""); // for its own processes
  sub->add_option("--store", g->folder, "Where the stores are made that are measured with, and removed [here]")
    ->type_name("DIR");
  sub->add_option("--in-flight", g->in_flight, "Closed loops with so many tasks at a time [1 16 64 256 4096]")
    ->check(CLI::Range(1, 1'000'000));
  sub->add_option("--seconds", g->seconds, "Of each measurement, after one to warm up [5]")->check(CLI::Range(1, 3600));
  sub->add_option("--steps", g->load.steps, "Steps of each task [5]")->check(CLI::Range(1, 256));
  sub->add_option("--payload", g->load.payload, "Bytes of a task's payload [200]")->check(CLI::Range(13, 1 << 20));
  sub->add_option("--result", g->load.result, "Bytes of a step's result [100]")->check(CLI::Range(13, 1 << 20));
  sub->add_option("--fail-step", g->load.fail_step, "This step fails for good, those before it are undone [none]")
    ->check(CLI::Range(1, 256));
  sub->add_flag("--ordered-ids", g->load.ordered_ids, "Ids of tasks ascend with time; else they come in no order");
  sub->add_flag("--json", g->json, "Print JSON");
  sub->footer("Example: steadfast bench --in-flight 256 --seconds 10");
  sub->callback([g, &chosen] { chosen = [g] { return bench_command(*g); }; });
}

} // namespace steadfast::apps
