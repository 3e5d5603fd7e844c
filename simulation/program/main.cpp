// Plays many simulated clusters, and prints the seed of each that broke a promise.

#include "simulation/program/seeds.hpp"
#include "simulation/program/shrink.hpp"
#include "simulation/services/injected_faults.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <vector>

namespace {

using namespace steadfast;
using simulation::request;
using simulation::sum;

constexpr const char* ledger_head =
  "date,commit,first_seed,seeds,simulated_hours,kills,steps,seconds,broke_a_promise\n";

double hours_of(const sum& s) {
  return std::chrono::duration<double, std::ratio<3600>>(s.all.simulated).count();
}

void print(const sum& s, const request& q) {
  const auto minutes = s.seconds / 60;
  std::cout << std::fixed << std::setprecision(1) << s.runs << " runs, seeds " << q.seed << " to "
            << q.seed + s.runs - 1 << ", in " << s.seconds << " s by " << q.jobs << " processes: " << s.bad
            << " broke a promise\n"
            << s.all.tasks << " tasks: " << s.all.processed << " processed, " << s.all.undone << " undone, "
            << s.all.in_error << " in error; " << s.all.calls << " calls, " << s.all.kills << " kills, " << s.all.steps
            << " steps\n"
            << hours_of(s) << " simulated hours; " << static_cast<double>(s.runs) / minutes << " seeds and "
            << hours_of(s) / minutes << " simulated hours a minute, " << std::setprecision(0)
            << static_cast<double>(s.all.steps) / s.seconds << " steps/s\n";
}

/// Returns how many rows were not reached.
std::size_t print_rows(const sum& s, bool all) {
  const auto rows = simulation::rows_to_reach();
  const auto count = [&](simulation::row r) {
    const auto found = s.all.rows.find(static_cast<int>(r));
    return found == s.all.rows.end() ? std::uint64_t{0} : found->second;
  };
  const auto missing = std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return count(r.number) == 0; });
  std::cout << rows.size() - static_cast<std::size_t>(missing) << " of " << rows.size()
            << " rows of the failure table were reached\n";
  for (const auto& r : rows)
    if (all || count(r.number) == 0)
      std::cout << (count(r.number) == 0 ? "  not reached: " : "  ") << std::setw(3) << static_cast<int>(r.number)
                << "  " << std::setw(12) << count(r.number) << "  " << r.moment << '\n';
  return static_cast<std::size_t>(missing);
}

void write_ledger(const std::string& path, const std::string& commit, const sum& s, const request& q) {
  const bool is_new = !std::ifstream{path};
  std::ofstream out{path, std::ios::app};
  const auto now = std::time(nullptr);
  out << (is_new ? ledger_head : "") << std::put_time(std::gmtime(&now), "%Y-%m-%d") << ',' << commit << ',' << q.seed
      << ',' << s.runs << ',' << std::fixed << std::setprecision(1) << hours_of(s) << ',' << s.all.kills << ','
      << s.all.steps << ',' << std::setprecision(0) << s.seconds << ',' << s.bad << '\n';
  if (!out.flush())
    std::cerr << "steadfast-sim: cannot write " << path << '\n';
}

} // namespace

int main(int argc, char** argv) {
  request q;
  std::vector<std::string> faults;
  std::vector<std::size_t> skipped;
  std::string ledger;
  std::string commit = "?";
  bool rows = false;
  bool all_rows = false;
  bool to_shrink = false;
  CLI::App app{"Plays simulated clusters under faults that a seed draws, and says which seeds broke a promise.",
               "steadfast-sim"};
  app.add_option("--seed", q.seed, "Of the first run; the others have those after it [a random one]");
  app.add_option("--runs", q.runs, "How many [100]");
  app.add_option("--seconds", q.seconds, "Go on for so long instead");
  app.add_option("--jobs", q.jobs, "Processes that play at a time [1]")->check(CLI::Range(1, 256));
  app.add_option("--tasks", q.tasks, "At most so many in each run [20]")->check(CLI::Range(1, 100'000));
  app
    .add_option("--partitions", q.partitions,
                "Of the store, which nodes share [one, or now and then 2 or 3 where the store moves]")
    ->check(CLI::Range(1, 8));
  app.add_option("--wall-error", q.wall_error_hours, "Hours by which wall clocks may be wrong at a start [10]");
  const auto kinds = simulation::all_faults();
  app.add_option("--faults", faults, "Only these [all]: " + CLI::detail::join(kinds, ", "))
    ->delimiter(',')
    ->check(CLI::IsMember(kinds));
  app.add_option("--skip", skipped, "Injected faults to leave out, by number, as --shrink tells them")->delimiter(',');
  app.add_flag("--trace", q.trace, "Tell every step");
  app.add_flag("--twice", q.twice, "Play every seed twice, and complain when it was not the same run");
  app.add_flag("--no-crowds", q.no_crowds, "No runs with 10,000 tasks at once, which take half a minute");
  app.add_flag("--until-bad", q.until_bad, "End at the first that broke a promise");
  app.add_option("--seed-limit", q.seed_limit, "End as by a crash when a seed takes more seconds [no limit]");
  app.add_flag("--shrink", to_shrink,
               "Leave out faults of --seed as long as it breaks a promise, and print what is left");
  app.add_option("--record", q.record, "Record the events of the run of --seed in this file");
  app.add_option("--replay", q.replay, "Replay this file under each seed, in another order each time")
    ->check(CLI::ExistingFile);
  app.add_flag("--rows", rows, "Count how often each row of the failure table was reached");
  app.add_flag("--all-rows", all_rows, "The same, and fail when one was not");
  app.add_option("--ledger", ledger, "Add a line of what was played to this file");
  app.add_option("--commit", commit, "That was played, for the ledger");
  app.footer("Exit codes: 0 every promise was kept, 1 not, 2 wrong command line.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  q.faults = {faults.begin(), faults.end()};
  q.skipped = {skipped.begin(), skipped.end()};
  if (!q.record.empty())
    q.runs = q.jobs = 1;
  if (q.seed == 0)
    q.seed = std::random_device{}();
  if (to_shrink) {
    if (!simulation::shrink(q))
      std::cout << "seed " << q.seed << " breaks no promise\n";
    return 0;
  }
  std::cout << "seeds from " << q.seed << " on" << std::endl; // known also when it crashes or hangs
  const auto s = simulation::play_all(q);
  print(s, q);
  const auto missing = print_rows(s, rows || all_rows);
  if (!ledger.empty())
    write_ledger(ledger, commit, s, q);
  return s.bad == 0 && (!all_rows || missing == 0) ? 0 : 1;
}
