// Plays many simulated clusters, and tells the seed of each that broke a promise.

#include "tests/simulation/random_runs.hpp"
#include "tests/support/temp_folder.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <random>

namespace {

using namespace steadfast;
using clock_type = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

volatile std::sig_atomic_t interrupted = 0;

struct arguments {
  std::uint64_t seed = 0; ///< 0: one is drawn
  std::uint64_t runs = 100;
  double seconds = 0; ///< 0: as many runs as asked for
  double wall_error_hours = 10;
  bool trace = false;
  bool twice = false;
};

struct sum {
  std::uint64_t runs = 0;
  std::uint64_t bad = 0;
  simulation::run_result all;
};

void print_step(std::chrono::nanoseconds now, const std::string& what) {
  std::cout << std::setw(10) << std::chrono::duration_cast<std::chrono::milliseconds>(now).count() << " ms  " << what
            << '\n';
}

void add(sum& s, const simulation::run_result& r) {
  ++s.runs;
  s.bad += r.violations.empty() ? 0 : 1;
  simulation::add(s.all, r);
}

void print(const sum& s, std::uint64_t first, seconds took) {
  const auto hours = std::chrono::duration<double, std::ratio<3600>>(s.all.simulated).count();
  const auto minutes = took.count() / 60;
  std::cout << std::fixed << std::setprecision(1) << s.runs << " runs, seeds " << first << " to " << first + s.runs - 1
            << ", in " << took.count() << " s: " << s.bad << " broke a promise\n"
            << s.all.tasks << " tasks: " << s.all.processed << " processed, " << s.all.undone << " undone, "
            << s.all.in_error << " in error; " << s.all.calls << " calls, " << s.all.kills << " kills, " << s.all.steps
            << " steps\n"
            << hours << " simulated hours; " << static_cast<double>(s.runs) / minutes << " seeds and "
            << hours / minutes << " simulated hours a minute, " << std::setprecision(0)
            << static_cast<double>(s.all.steps) / took.count() << " steps/s\n";
}

simulation::run_result play(const arguments& a, std::uint64_t seed, const std::filesystem::path& folder) {
  auto o = tests::random_run(seed, folder);
  o.wall_error_max = std::chrono::milliseconds{static_cast<std::int64_t>(a.wall_error_hours * 3'600'000)};
  if (a.trace)
    o.on_step = print_step;
  auto r = simulation::run(o);
  o.on_step = {};
  if (a.twice && simulation::run(o).trace_hash != r.trace_hash)
    r.violations.emplace_back("the same seed was another run");
  return r;
}

int play_all(const arguments& a) {
  const tests::temp_folder folder{tests::fast_place()};
  const auto begun = clock_type::now();
  const auto first = a.seed != 0 ? a.seed : std::random_device{}();
  sum s;
  const auto goes_on = [&] {
    const seconds passed = clock_type::now() - begun;
    return interrupted == 0 && (a.seconds > 0 ? passed.count() < a.seconds : s.runs < a.runs);
  };
  auto told_at = begun;
  while (goes_on()) {
    const auto seed = first + s.runs;
    const auto r = play(a, seed, folder.path() / "run");
    add(s, r);
    for (const auto& v : r.violations)
      std::cout << "seed " << seed << ": " << v << '\n';
    for (const auto& story : r.stories)
      std::cout << story << '\n';
    if (!r.violations.empty())
      std::cout << "again, told step by step: steadfast-sim --runs 1 --seed " << seed << " --trace\n";
    if (clock_type::now() - told_at > std::chrono::seconds{10}) {
      told_at = clock_type::now();
      std::cerr << s.runs << " runs, " << s.bad << " broke a promise\n";
    }
  }
  print(s, first, clock_type::now() - begun);
  return s.bad == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  arguments a;
  CLI::App app{"Plays simulated clusters under faults that a seed draws, and says which seeds broke a promise.",
               "steadfast-sim"};
  app.add_option("--seed", a.seed, "Of the first run; the others have those after it [a random one]");
  app.add_option("--runs", a.runs, "How many [100]");
  app.add_option("--seconds", a.seconds, "Go on for so long instead");
  app.add_option("--wall-error", a.wall_error_hours, "Hours by which wall clocks may be wrong at a start [10]");
  app.add_flag("--trace", a.trace, "Tell every step");
  app.add_flag("--twice", a.twice, "Play every seed twice, and complain when it was not the same run");
  app.footer("Exit codes: 0 every promise was kept, 1 not, 2 wrong command line.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  return play_all(a);
}
