// Runs people's own workflows in simulated clusters: what would happen if everything went wrong.

#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/scratch_folder.hpp"
#include "apps/simulate/simulate_report.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/configuration/workflow_file.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "runtime/toml/config_error.hpp"
#include "simulation/services/injected_faults.hpp"
#include "simulation/services/service_warnings.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <thread>

namespace steadfast::apps {
namespace {

using clock_type = std::chrono::steady_clock;

/// Clocks that are hours wrong would only show that a workflow's deadline passes.
constexpr workflow::span wall_error_max = std::chrono::minutes{1};

struct simulate_arguments {
  std::vector<std::string> files;
  std::string services; ///< file; empty: none
  std::uint64_t runs = 200;
  std::uint64_t seed = 0; ///< 0: one is drawn
  std::uint32_t tasks = 20;
  unsigned jobs = 0; ///< 0: one for each core
  std::string latency;
  simulation::service_habits habits;
  std::vector<std::string> required;
  bool is_calm = false;
  bool stories = false;
  bool json = false;
};

simulation::declared_services services_of(const simulate_arguments& g,
                                          const std::vector<workflow::definition>& workflows) {
  auto usual = g.habits;
  if (!g.latency.empty() && !simulation::read_latency(g.latency, usual))
    throw failure{wrong_usage,
                  "--latency: `" + g.latency + "` is not a range: write 5ms-200ms, or 5ms for exactly that"};
  if (const auto wrong = simulation::problem(usual); !wrong.empty())
    throw failure{wrong_usage, wrong};
  if (g.services.empty()) {
    simulation::declared_services as_usual;
    as_usual.usual = faults_of(usual);
    return as_usual;
  }
  return simulation::load_services(g.services, usual, workflows);
}

/// One line on a terminal, written over again and again.
class progress_line {
public:
  explicit progress_line(std::uint64_t runs) : runs_{runs} {}
  ~progress_line() {
    if (is_shown_)
      std::cerr << "\r\x1b[K" << std::flush;
  }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(const simulation::batch_progress& p) {
    if (!is_shown_)
      return;
    std::cerr << '\r' << p.runs << " of " << runtime::counted(runs_, "cluster") << ", "
              << runtime::counted(p.tasks, "task") << (p.broken > 0 ? ", " + std::to_string(p.broken) + " BROKEN" : "")
              << time_left(p.runs) << "\x1b[K" << std::flush;
  }

private:
  std::string time_left(std::uint64_t done) const {
    const std::chrono::duration<double, std::milli> passed = clock_type::now() - begun_;
    if (done == 0 || passed < std::chrono::seconds{2})
      return "";
    const auto left = passed * static_cast<double>(runs_ - done) / static_cast<double>(done);
    return ", " + rough_text(std::chrono::duration_cast<workflow::span>(left)) + " left";
  }

  std::uint64_t runs_;
  bool is_shown_ = isatty(STDERR_FILENO) == 1;
  clock_type::time_point begun_ = clock_type::now();
};

std::vector<workflow::definition> workflows_of(const simulate_arguments& g) {
  for (const auto& file : g.files)
    if (!std::filesystem::is_directory(file))
      require_file(file);
  try {
    return load_workflows({g.files.begin(), g.files.end()});
  } catch (const runtime::config_error& e) {
    throw failure{wrong_data, e.what()};
  }
}

simulated play(const simulate_arguments& g) {
  simulated s;
  std::vector<requirement> required;
  for (const auto& text : g.required)
    for (auto& r : requirements_of(text))
      required.push_back(std::move(r));
  s.workflows = workflows_of(g);
  s.first_seed = g.seed != 0 ? g.seed : std::random_device{}();
  s.runs_wanted = g.runs;
  s.jobs = g.jobs != 0 ? g.jobs : std::max(1U, std::thread::hardware_concurrency());
  simulation::run_options options;
  options.tasks_max = g.tasks;
  options.workflows = s.workflows;
  options.services = services_of(g, s.workflows);
  s.warnings = simulation::warnings_of(s.workflows, *options.services);
  for (const auto& [name, step] : simulation::steps_not_to_trust(s.workflows, *options.services))
    s.not_trusted.push_back("step `" + step + "` of " + name);
  options.with_people = false;
  options.is_calm = g.is_calm;
  options.wall_error_max = wall_error_max;
  for (const auto& d : s.workflows) // a task may wait so long, and undo begins then
    options.heal_max = std::max(options.heal_max, d.deadline + simulation::run_options{}.heal_max);
  options.only = simulation::all_faults();
  options.only.erase("poison"); // says nothing of the workflow

  const interrupt_guard guard;
  const scratch_folder folder{fast_place()};
  const auto begun = clock_type::now();
  progress_line line{g.runs};
  simulation::batch b;
  b.first_seed = s.first_seed;
  b.runs = g.runs;
  b.jobs = s.jobs;
  b.folder = folder.path();
  b.play = [&options](std::uint64_t seed, const std::filesystem::path& run_folder) {
    auto one = options;
    one.seed = seed;
    one.folder = run_folder;
    return simulation::run(one);
  };
  b.is_over = interrupt_guard::interrupted;
  b.on_progress = [&line](const simulation::batch_progress& p) { line.show(p); };
  s.played = simulation::play_all(b);
  for (const auto& r : required)
    s.required.push_back(result_of(r, s.played.all));
  s.seconds = std::chrono::duration<double>(clock_type::now() - begun).count();
  return s;
}

int simulate(const simulate_arguments& g) {
  const auto s = play(g);
  if (g.json)
    print_json(simulated_json(s));
  else
    std::cout << simulated_text(s, g.stories, standard_output());
  if (!s.played.broken.empty())
    return refused;
  if (s.played.runs < g.runs)
    return interrupted;
  return std::all_of(s.required.begin(), s.required.end(), [](const auto& r) { return r.is_met; }) ? done : refused;
}

} // namespace

void add_simulate(CLI::App& to, command& chosen) {
  auto g = std::make_shared<simulate_arguments>();
  auto* sub = to.add_subcommand("simulate", "Run workflows in simulated clusters where everything goes wrong");
  sub->add_option("workflow", g->files, "Workflow files")->required()->type_name("FILE");
  sub->add_option("--services", g->services, "How the services of agents behave (TOML)")->type_name("FILE");
  sub->add_option("--runs", g->runs, "Clusters [200]")->check(CLI::Range(1, 10'000'000));
  sub->add_option("--seed", g->seed, "Of the first; the same seed is the same run [a random one]");
  sub->add_option("--tasks", g->tasks, "At most N tasks in each [20]")->check(CLI::Range(1, 1000));
  sub->add_option("--jobs", g->jobs, "Parallel processes [one for each core]")->check(CLI::Range(1, 256));
  const auto share = CLI::Range(0.0, 1.0);
  auto& h = g->habits;
  sub->add_option("--latency", g->latency, "Of the services [5ms-200ms]")->type_name("FROM-TO");
  sub->add_option("--busy", h.busy, "Share of calls that fail for now; half of them took place [0.02]")->check(share);
  sub->add_option("--refused", h.refused, "Share of calls of steps refused for good [0.02]")->check(share);
  sub->add_option("--hung", h.hung, "Share of calls lost or never answered; half took place, some of them later [0.01]")
    ->check(share);
  sub->add_option("--undo-refused", h.undo_refused, "Share of undos refused for good [0]")->check(share);
  sub
    ->add_option("--require", g->required,
                 "What must hold, such as processed>=95%,residue=0,p99<=30s; may be given several times")
    ->type_name("FIGURES")
    ->allow_extra_args(false);
  sub->add_flag("--calm", g->is_calm, "Only the services misbehave, not nodes, network, disk and clocks");
  sub->add_flag("--stories", g->stories, "Print the story of one task for each reason to call a person");
  sub->add_flag("--json", g->json, "Print JSON");
  sub->footer(
    "Each run is a cluster of one to four nodes, under a virtual clock, with services that keep their contract (a\n"
    "repeated key acts once). For ten minutes nodes are killed, frozen and cut off, messages lost and doubled, "
    "commits\n"
    "lost, clocks wrong by up to a minute; then all faults stop and every task must end. Nothing outside the program "
    "is\n"
    "called. What a services file leaves out of an agent, or an agent it leaves out, is as the options say:\n\n"
    "  [[agent]]\n"
    "  name = \"payment\"\n"
    "  latency = \"80ms-2s\"                  # evenly spread\n"
    "  busy = 0.05                          # fail for now; half of them took place\n"
    "  refused = 0.01                       # of steps, for good; undo_refused: of undos\n"
    "  hung = 0.001                         # lost or never answered; half of them took place\n"
    "  result = { payment_id = \"p-1\" }     # of its steps [made up where the workflow looks for a value]\n\n"
    "What steps that wait receive, and how long after they began to wait:\n\n"
    "  [[event]]\n"
    "  name = \"paid\"\n"
    "  data = { id = \"p-1\" }               # [made up where the workflow looks for a value]\n"
    "  after = \"1s-1m\"\n"
    "  never = 0.02                         # share of the steps that wait in vain\n\n"
    "  [[person]]\n"
    "  role = \"sales\"\n"
    "  choice = \"ship\"                    # [any]; after and never as above\n\n"
    "and what breaks the contract, to see the effect: idempotent = false acts each time that a key is\n"
    "repeated, refuses_after_undo = false takes a step after its undo, lies = 0.01 answers that share of probes "
    "wrongly,\n"
    "late = \"5m\" lets what was lost take place that long after complete_by.\n\n"
    "--require compares (>=, <=, =, >, <) processed, undone and error, residue (undone tasks with an effect still in\n"
    "place), doubled and missing (processed tasks in which a step took place more than once, or not at all), as tasks\n"
    "or as a share of them, and p50, p99 and longest, the time that tasks took.\n\n"
    "The exit code is 1 when a promise was broken, or a requirement is not met.\n\n"
    "Example: steadfast simulate order.toml --runs 10000 --refused 0.1\n"
    "         steadfast simulate order.toml --require 'processed>=95%,residue=0'\n"
    "         steadfast simulate order.toml --services services.toml --json");
  sub->callback([g, &chosen] { chosen = [g] { return simulate(*g); }; });
}

} // namespace steadfast::apps
