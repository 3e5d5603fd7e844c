// Runs people's own workflows in simulated clusters: what would happen if everything went wrong.

#include "apps/commands.hpp"
#include "apps/failure.hpp"
#include "apps/filter.hpp"
#include "apps/interrupt.hpp"
#include "apps/node_access.hpp"
#include "apps/scratch_folder.hpp"
#include "apps/story.hpp"
#include "apps/terminal.hpp"
#include "runtime/quantity.hpp"
#include "runtime/simulation/run.hpp"
#include "runtime/time_text.hpp"
#include "runtime/workflow_file.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>

namespace steadfast::apps {
namespace {

using nlohmann::json;
using clock_type = std::chrono::steady_clock;

struct simulate_arguments {
  std::vector<std::string> files;
  std::uint64_t runs = 200;
  std::uint64_t seed = 0; ///< 0: one is drawn
  std::uint32_t tasks = 20;
  std::string latency = "5ms-200ms";
  double busy = 0.02;
  double refused = 0.02;
  double hung = 0.01;
  bool is_calm = false;
  bool json = false;
};

std::uint32_t permille(double share) {
  return static_cast<std::uint32_t>(std::lround(share * 1000));
}

simulation::service_faults services_of(const simulate_arguments& g) {
  simulation::service_faults f;
  const auto dash = g.latency.find('-');
  const auto least = runtime::parse_span(g.latency.substr(0, dash));
  const auto most = dash == std::string::npos ? least : runtime::parse_span(g.latency.substr(dash + 1));
  if (!least || !most || *most < *least)
    throw failure{wrong_usage, "--latency: `" + g.latency + "` is no range such as 5ms-200ms"};
  f.latency_min = *least;
  f.latency_max = *most;
  f.busy_permille = permille(g.busy / 2);
  f.fails_permille = permille(g.busy / 2);
  f.refuses_permille = permille(g.refused);
  f.hangs_permille = permille(g.hung / 2);
  f.goes_silent_permille = permille(g.hung / 2);
  return f;
}

// ---- what came of it ----

struct broken_run {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  std::vector<std::string> violations;
  std::vector<std::string> stories;
};

struct summary {
  std::uint64_t runs = 0;
  std::uint64_t first_seed = 0;
  simulation::run_result all; ///< summed up
  std::vector<broken_run> broken;
  bool is_cut = false;
  double seconds = 0;
};

void add(summary& s, std::uint64_t seed, simulation::run_result r) {
  ++s.runs;
  simulation::add(s.all, r);
  if (!r.violations.empty())
    s.broken.push_back({seed, r.steps, std::move(r.violations), std::move(r.stories)});
}

void tell_progress(const summary& s, std::uint64_t runs) {
  if (isatty(STDERR_FILENO) == 1)
    std::cerr << '\r' << s.runs << " of " << runs << " runs, " << s.all.tasks << " tasks\x1b[K" << std::flush;
}

summary play(const simulate_arguments& g, const std::vector<workflow::definition>& workflows) {
  const interrupt_guard guard;
  const scratch_folder folder{fast_place()};
  summary s;
  s.first_seed = g.seed != 0 ? g.seed : std::random_device{}();
  const auto begun = clock_type::now();
  while (s.runs < g.runs && !interrupt_guard::interrupted()) {
    simulation::run_options o;
    o.seed = s.first_seed + s.runs;
    o.tasks_max = g.tasks;
    o.workflows = workflows;
    o.services = services_of(g);
    o.with_people = false;
    o.is_calm = g.is_calm;
    o.folder = folder.path() / "run";
    add(s, o.seed, simulation::run(o));
    tell_progress(s, g.runs);
  }
  if (isatty(STDERR_FILENO) == 1)
    std::cerr << "\r\x1b[K";
  s.is_cut = s.runs < g.runs;
  s.seconds = std::chrono::duration<double>(clock_type::now() - begun).count();
  std::sort(s.all.took.begin(), s.all.took.end());
  std::sort(s.broken.begin(), s.broken.end(), [](const auto& a, const auto& b) { return a.steps < b.steps; });
  return s;
}

workflow::span percentile(const std::vector<workflow::span>& sorted, std::size_t p) {
  return sorted.empty() ? workflow::span{0} : sorted[(sorted.size() - 1) * p / 100];
}

json json_of(const summary& s) {
  json broken = json::array();
  for (const auto& b : s.broken)
    broken.push_back({{"seed", b.seed}, {"violations", b.violations}});
  return {{"runs", s.runs},
          {"first_seed", s.first_seed},
          {"tasks", s.all.tasks},
          {"processed", s.all.processed},
          {"undone", s.all.undone},
          {"in_error", s.all.in_error},
          {"left_in_place", s.all.left_in_place},
          {"took_ms", {{"p50", percentile(s.all.took, 50).count()}, {"p99", percentile(s.all.took, 99).count()}}},
          {"kills", s.all.kills},
          {"calls", s.all.calls},
          {"simulated_hours", std::chrono::duration<double, std::ratio<3600>>(s.all.simulated).count()},
          {"seconds", s.seconds},
          {"broken", broken}};
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

void print_line(const std::string& what, const std::string& text) {
  std::cout << "  " << what << std::string(18 - what.size(), ' ') << text << '\n';
}

void print_verdict(const summary& s, const terminal& to) {
  if (s.broken.empty()) {
    print_line("all or nothing", painted("held in every run", colour::good, to));
    return;
  }
  print_line("all or nothing", painted("BROKEN in " + std::to_string(s.broken.size()) + " runs", colour::bad, to)
                                 + "; the shortest, of seed " + std::to_string(s.broken.front().seed) + ":");
  for (const auto& v : s.broken.front().violations)
    print_line("", printable(v));
  for (const auto& story : s.broken.front().stories)
    std::cout << '\n' << story_text({{"task", json::parse(story)}, {"late_replies", json::array()}}, wall_clock(), to);
  std::cout << '\n';
}

/// What stays behind when a task is undone, by the steps that have no compensation.
void print_left(const summary& s, const std::vector<workflow::definition>& workflows) {
  bool has_all = true;
  for (const auto& d : workflows)
    for (const auto& step : d.steps) {
      if (step.compensation)
        continue;
      has_all = false;
      const auto found = s.all.left_in_place.find(step.name);
      const auto count = found == s.all.left_in_place.end() ? 0 : found->second;
      print_line("no compensation", "step `" + step.name + "` of " + d.name + ": stayed in place in "
                                      + std::to_string(count) + " of " + std::to_string(s.all.undone)
                                      + " undone tasks");
    }
  if (has_all)
    print_line("no compensation", "every step has one");
}

void print(const summary& s, const std::vector<workflow::definition>& workflows) {
  const auto to = standard_output();
  std::string names;
  for (const auto& d : workflows)
    names += (names.empty() ? "" : ", ") + d.name + " v" + std::to_string(d.version);
  std::cout << painted(names, colour::strong, to) << ": " << s.runs << " simulated clusters, seeds " << s.first_seed
            << " to " << s.first_seed + s.runs - 1 << (s.is_cut ? " (stopped by Ctrl-C)" : "") << "\n\n";
  print_verdict(s, to);
  print_line("ended", std::to_string(s.all.tasks) + " tasks: " + std::to_string(s.all.processed) + " processed, "
                        + std::to_string(s.all.undone) + " undone (" + share_text(s.all.undone, s.all.tasks) + "), "
                        + std::to_string(s.all.in_error) + " in error (" + share_text(s.all.in_error, s.all.tasks)
                        + "), where a person is asked");
  print_line("time to finish", "p50 " + rough_text(percentile(s.all.took, 50)) + ", p99 "
                                 + rough_text(percentile(s.all.took, 99)) + ", longest "
                                 + rough_text(percentile(s.all.took, 100)));
  print_left(s, workflows);
  print_line("happened", std::to_string(s.all.kills) + " nodes killed, " + std::to_string(s.all.calls)
                           + " calls of services, " + rough_text(s.all.simulated) + " of cluster time in "
                           + rough_text(workflow::span{static_cast<workflow::span::rep>(s.seconds * 1000)}));
}

int simulate(const simulate_arguments& g) {
  services_of(g); // complains before any work is done
  const auto workflows = load_workflows({g.files.begin(), g.files.end()});
  const auto s = play(g, workflows);
  if (g.json)
    print_json(json_of(s));
  else
    print(s, workflows);
  return s.broken.empty() ? (s.is_cut ? interrupted : done) : refused;
}

} // namespace

void add_simulate(CLI::App& to, command& chosen) {
  auto g = std::make_shared<simulate_arguments>();
  auto* sub = to.add_subcommand("simulate", "Run workflows in simulated clusters where everything goes wrong");
  sub->add_option("workflow", g->files, "Workflow files")->required()->type_name("FILE");
  sub->add_option("--runs", g->runs, "Clusters, one after the other [200]")->check(CLI::Range(1, 10'000'000));
  sub->add_option("--seed", g->seed, "Of the first; the same seed is the same run [a random one]");
  sub->add_option("--tasks", g->tasks, "At most so many tasks in each [20]")->check(CLI::Range(1, 1000));
  const auto share = CLI::Range(0.0, 1.0);
  sub->add_option("--latency", g->latency, "Of the services [5ms-200ms]")->type_name("FROM-TO");
  sub->add_option("--busy", g->busy, "Share of calls that fail for now; half of them took place [0.02]")->check(share);
  sub->add_option("--refused", g->refused, "Share of steps refused for good [0.02]")->check(share);
  sub->add_option("--hung", g->hung, "Share of calls never answered; half of them took place [0.01]")->check(share);
  sub->add_flag("--calm", g->is_calm, "Only the services misbehave, not nodes, network, disk and clocks");
  sub->add_flag("--json", g->json, "Print JSON");
  sub->footer(
    "Each run is a cluster of one to four nodes in this process, under a virtual clock, with services that keep their\n"
    "contract (a repeated key acts once). For ten minutes nodes are killed, frozen and cut off, messages lost and "
    "doubled,\n"
    "commits lost; then all is healed and every task must end. Nothing outside of this process is called.\n"
    "The exit code is 1 when a promise was broken.\n\n"
    "Example: steadfast simulate order.toml --runs 10000 --refused 0.1");
  sub->callback([g, &chosen] { chosen = [g] { return simulate(*g); }; });
}

} // namespace steadfast::apps
