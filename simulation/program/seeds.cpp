#include "simulation/program/seeds.hpp"

#include "simulation/program/effect_check.hpp"
#include "simulation/program/random_runs.hpp"
#include "simulation/program/scripts.hpp"
#include "tests/support/temp_folder.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace steadfast::simulation {

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::chrono::seconds tell_every{10};

volatile std::sig_atomic_t interrupted = 0;

void print_step(std::chrono::nanoseconds now, const std::string& what) {
  std::cout << std::setw(10) << std::chrono::duration_cast<std::chrono::milliseconds>(now).count() << " ms  " << what
            << '\n';
}

/// In one piece, since several processes print.
void print_broken(const request& q, std::uint64_t seed, const run_result& r) {
  std::ostringstream text;
  for (const auto& v : r.violations)
    text << "seed " << seed << ": " << v << '\n';
  for (const auto& story : r.stories)
    text << story << '\n';
  text << "again, told step by step: steadfast-sim --runs 1 --seed " << seed << partitions_option(q)
       << " --trace; fewer faults: --shrink\n";
  std::cout << text.str() << std::flush;
}

run_result play(const request& q, std::uint64_t seed, const std::filesystem::path& folder) {
  auto o = options_of(q, seed, folder);
  if (q.trace)
    o.on_step = print_step;
  script recorded;
  if (!q.record.empty())
    o.record = &recorded;
  const auto played = q.replay.empty() ? std::optional<script>{} : script_in(q.replay);
  if (played)
    play(o, *played);
  alarm(q.seed_limit); // ends this process
  auto r = checked_run(o);
  alarm(0);
  if (!q.record.empty() && !(std::ofstream{q.record} << text_of(recorded)).flush())
    throw std::runtime_error{"cannot write " + q.record};
  o.record = nullptr;
  o.on_step = {};
  if (q.twice && run(o).trace_hash != r.trace_hash)
    r.violations.emplace_back("the same seed was another run");
  return r;
}

/// Called now and then, it prints less often.
class progress_teller {
public:
  void operator()(const batch_progress& p) {
    if (clock_type::now() - told_at_ < tell_every)
      return;
    told_at_ = clock_type::now();
    std::cerr << p.runs << " runs, " << p.broken << " broke a promise\n";
  }

private:
  clock_type::time_point told_at_ = clock_type::now();
};

} // namespace

std::string partitions_option(const request& q) {
  return q.partitions == 0 ? "" : " --partitions " + std::to_string(q.partitions);
}

run_options options_of(const request& q, std::uint64_t seed, const std::filesystem::path& folder) {
  auto o = random_run(seed, folder);
  o.wall_error_max = std::chrono::milliseconds{static_cast<std::int64_t>(q.wall_error_hours * 3'600'000)};
  o.tasks_max = q.tasks;
  o.partitions = q.partitions;
  o.only = q.faults;
  o.skipped = q.skipped;
  o.with_crowds = !q.no_crowds;
  return o;
}

sum play_all(const request& q) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto begun = clock_type::now();
  const auto end = begun + std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>{q.seconds});
  const tests::temp_folder folder{tests::fast_place()};
  batch b;
  b.first_seed = q.seed;
  b.runs = q.seconds > 0 ? std::numeric_limits<std::uint64_t>::max() : q.runs;
  b.jobs = q.jobs;
  b.until_broken = q.until_bad;
  b.folder = folder.path();
  b.play = [&q](std::uint64_t seed, const std::filesystem::path& run_folder) {
    auto r = play(q, seed, run_folder);
    if (!r.violations.empty())
      print_broken(q, seed, r);
    return r;
  };
  b.is_over = [&] { return interrupted != 0 || (q.seconds > 0 && clock_type::now() >= end); };
  b.on_progress = progress_teller{};
  const auto played = play_all(b);
  return {played.runs, played.broken.size(), played.all,
          std::chrono::duration<double>(clock_type::now() - begun).count()};
}

} // namespace steadfast::simulation
