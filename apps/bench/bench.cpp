// Measures tasks on this machine: how many, how quickly, at which cost.

#include "apps/bench/figures/yardstick.hpp"
#include "apps/bench/measurements.hpp"
#include "apps/bench/runs/part.hpp"
#include "apps/bench/targets.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/scratch_folder.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/table.hpp"
#include "store/postgres/place.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/utsname.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct bench_arguments {
  std::string part; ///< the role of this process, if another one measures
  std::string folder = ".";
  std::string store; ///< where it is chosen: the folder, or the server
  bench::choice chosen;
  bool is_targets = false;
  bool json = false;
};

json machine_json() {
  utsname machine{};
  uname(&machine);
  return {{"cores", std::thread::hardware_concurrency()},
          {"system", std::string{machine.sysname} + " " + machine.release + " " + machine.machine},
          {"version", STEADFAST_VERSION}};
}

std::string machine_text() {
  const auto m = machine_json();
  return fmt::format("steadfast {}, {} cores, {}", m.at("version").get<std::string>(), m.at("cores").get<unsigned>(),
                     m.at("system").get<std::string>());
}

/// The measurement in a folder of its own, which is removed afterwards.
json carry_out(const bench::measurement& m, const bench_arguments& g) {
  const scratch_folder folder{g.folder};
  auto result = m.run(folder.path());
  result["name"] = m.name;
  return result;
}

void tell_progress(std::size_t i, std::size_t all, const std::string& name) {
  std::cerr << fmt::format("[{}/{}] {}\n", i + 1, all, name);
}

int measure_chosen(const bench_arguments& g) {
  const auto all = bench::measurements_of(g.chosen);
  if (all.empty())
    throw failure{wrong_usage, "--only: no measurement has that in its name"};
  if (!g.json)
    std::cout << machine_text() << "; " << bench::workload_text(g.chosen.load) << "\n\n";
  json results = json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    tell_progress(i, all.size(), all[i].name);
    results.push_back(carry_out(all[i], g));
    if (!g.json)
      std::cout << bench::text_of(results.back()) << std::flush;
  }
  if (g.json)
    print_json({{"machine", machine_json()}, {"workload", g.chosen.load}, {"measured", results}});
  return done;
}

// ---- targets ----

void print_targets(const std::vector<bench::target_result>& results) {
  const auto to = standard_output();
  table rows{{"target", "wanted", "measured", "at reference", ""}};
  for (const auto& r : results)
    rows.add({r.what, r.wanted_text(), r.measured_text(), r.counted_text(),
              r.is_met() ? cell{"met", colour::good} : cell{"missed", colour::bad}});
  std::cout << machine_text() << "\n\n" << rows.text(to);
}

bench::yardstick yardstick_of(const bench_arguments& g) {
  const scratch_folder folder{g.folder};
  return bench::measure_yardstick(folder.path());
}

bench::yardstick between(const bench::yardstick& a, const bench::yardstick& b) {
  return {(a.copying + b.copying) / 2, (a.hashing + b.hashing) / 2, (a.waking + b.waking) / 2,
          (a.syncing + b.syncing) / 2};
}

int measure_targets(const bench_arguments& g) {
  std::vector<bench::target_result> results;
  json measured = json::array();
  const auto groups = bench::target_groups(g.chosen);
  if (groups.empty())
    throw failure{wrong_usage, "--only: no target has that in its name; docs/performance.md lists them"};
  auto before = yardstick_of(g); // what follows one run comes before the next
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<bench::target_run> runs;
    for (std::size_t n = 0; n < groups[i].runs; ++n) {
      tell_progress(i, groups.size(), groups[i].what.name + (groups[i].runs > 1 ? fmt::format(", run {}", n + 1) : ""));
      auto run = carry_out(groups[i].what, g);
      const auto after = yardstick_of(g);
      runs.push_back({std::move(run), between(std::exchange(before, after), after)});
      std::cerr << "      machine: " << bench::text_of(runs.back().machine) << '\n';
      runs.back().measured["machine_beside"] = bench::json_of(runs.back().machine);
    }
    for (const auto& t : groups[i].targets)
      results.push_back(bench::result_of(t, runs));
    for (auto& run : runs)
      measured.push_back(std::move(run.measured));
  }
  if (!g.json)
    print_targets(results);
  else
    print_json({{"machine", machine_json()}, {"targets", bench::json_of(results)}, {"measured", measured}});
  return done;
}

bool is_url(const std::string& where) {
  return where.find("://") != std::string::npos;
}

/// Empty: stores can be made there, as far as it can be told from the words.
std::string why_no_place(std::string where) {
  if (!is_url(where))
    return CLI::ExistingDirectory(where);
  const auto wrong = problems(store::postgres::place{where, {}});
  return wrong.empty() ? std::string{} : wrong.front();
}

void choose_store(bench_arguments& g) {
  if (!is_url(g.store)) {
    g.folder = g.store.empty() ? "." : g.store;
    return;
  }
  g.chosen.server = g.store;
  if (g.is_targets || !g.chosen.backlogs.empty() || !g.chosen.restarts.empty() || !g.chosen.overloads.empty())
    throw failure{wrong_usage, "--store: on PostgreSQL only --in-flight and --rate can be measured"};
}

int bench_command(bench_arguments& g) {
  choose_store(g);
  if (!g.part.empty())
    return bench::be_part(json::parse(g.part).get<bench::part_setup>());
  const interrupt_guard guard;
  return g.is_targets ? measure_targets(g) : measure_chosen(g);
}

void add_workload(CLI::App& sub, bench::workload& w) {
  sub.add_option("--steps", w.steps, "Steps of each task [5]")->check(CLI::Range(1, 10'000));
  sub.add_option("--payload", w.payload, "Bytes of a task's payload [200]")->check(CLI::Range(13, 1 << 20));
  sub.add_option("--result", w.result, "Bytes of a step's result [100]")->check(CLI::Range(13, 1 << 20));
  sub.add_option("--fail-step", w.fail_step, "This step fails for good, those before it are undone [none]")
    ->check(CLI::Range(1, 10'000));
  sub.add_flag("--ordered-ids", w.ordered_ids, "Ids of tasks ascend with time; otherwise they come in no order");
}

} // namespace

void add_bench(CLI::App& to, command& chosen) {
  auto g = std::make_shared<bench_arguments>();
  auto& c = g->chosen;
  auto* sub = to.add_subcommand("bench", "Measure durable tasks on this machine and its disk");
  sub->add_option("--part", g->part)->group(""); // for its own processes
  sub
    ->add_option("--store", g->store,
                 "Where the stores are made and afterwards removed: a folder, or the URL of PostgreSQL [here]")
    ->type_name("DIR|URL")
    ->check(why_no_place);
  sub->add_option("--in-flight", c.in_flight, "Closed loop with N tasks at a time")->check(CLI::Range(1, 1'000'000));
  sub
    ->add_option("--backlog", c.backlogs,
                 "Closed loop with N tasks always waiting in the store, besides those in flight")
    ->check(CLI::Range(1, 10'000'000));
  sub->add_option("--rate", c.rates, "Open loop with N submissions per second, whatever happens to them")
    ->check(CLI::Range(1, 1'000'000));
  sub->add_option("--restart", c.restarts, "Kill and restart a node with N unfinished tasks")
    ->check(CLI::Range(1, 10'000'000));
  sub
    ->add_option("--overload", c.overloads,
                 "N submissions per second to a service that is far too slow for 10 s: how soon it recovers")
    ->check(CLI::Range(1, 1'000'000));
  sub->add_option("--seconds", c.seconds, "Of each measurement, after one to warm up [4]")
    ->check(CLI::Range(0.1, 86400.0));
  sub->add_option("--keep-at-most", c.keep_at_most, "Keep only the last N ended tasks in the store [all]")
    ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  sub->add_option("--partitions", c.partitions, "Partitions of the store, each written by a thread [1]")
    ->check(CLI::Range(1U, workflow::partitions_max));
  sub->add_option("--in-flight-max", c.in_flight_max, "Tasks that the scheduler has in flight [1024]")
    ->check(CLI::Range(1, 1'000'000));
  sub
    ->add_option("--client", c.client,
                 "The submitting client: here, node (in another process, over CAF), socket or http [here]")
    ->check(CLI::IsMember{{"here", "node", "socket", "http"}})
    ->excludes("--backlog");
  sub->add_option("--agents", c.agents, "The agents: here, node (in another process, over CAF), http or https [here]")
    ->check(CLI::IsMember{{"here", "node", "http", "https"}});
  sub->add_flag("--certificates", c.certificates, "Nodes that are connected (--client, --agents) have certificates");
  add_workload(*sub, c.load);
  sub->add_option("--only", c.only, "Only measurements or targets whose name contains this text")->type_name("TEXT");
  sub->add_flag("--targets", g->is_targets, "Measure the project's own targets, and say whether they are met (20 min)");
  sub->add_flag("--json", g->json, "Print JSON");
  sub->footer(
    "Without --in-flight, --backlog, --rate, --restart and --overload: a short set of all kinds. Each measurement "
    "starts a node "
    "in\n"
    "a process of its own, with a new store under --store, which must be on the disk of interest: what is "
    "acknowledged\n"
    "was synced. Agents do nothing, so what is measured is the node. In an open loop a submission is late from the\n"
    "moment it was due. docs/performance.md explains the figures.\n\n"
    "With the URL of PostgreSQL, closed and open loops are measured twice, with a store in files here and then with "
    "one in\n"
    "a new schema steadfast_bench_... of that database, which is dropped afterwards: the role must be allowed to make "
    "one.\n"
    "A password is better in $PGPASSWORD or ~/.pgpass. WAL, and CPU if the server is on this machine, are those of "
    "the whole\n"
    "server.\n\n"
    "Example: steadfast bench --in-flight 256 --seconds 10 --fail-step 4");
  sub->callback([g, &chosen] { chosen = [g] { return bench_command(*g); }; });
}

} // namespace steadfast::apps
