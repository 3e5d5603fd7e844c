#include "tests/simulator/batch.hpp"

#include "tests/simulation/random_runs.hpp"
#include "tests/support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <system_error>
#include <vector>

namespace steadfast::simulator {

namespace {

using clock_type = std::chrono::steady_clock;
using nlohmann::json;

volatile std::sig_atomic_t interrupted = 0;

/// Shared by the processes.
struct progress {
  std::atomic<std::uint64_t> begun{0}; ///< runs
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> bad{0};
};

progress& shared_progress() {
  void* place = mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    throw std::system_error{errno, std::generic_category(), "mmap"};
  return *new (place) progress;
}

void print_step(std::chrono::nanoseconds now, const std::string& what) {
  std::cout << std::setw(10) << std::chrono::duration_cast<std::chrono::milliseconds>(now).count() << " ms  " << what
            << '\n';
}

/// In one piece, for several processes print.
void print_broken(std::uint64_t seed, const simulation::run_result& r) {
  std::ostringstream text;
  for (const auto& v : r.violations)
    text << "seed " << seed << ": " << v << '\n';
  for (const auto& story : r.stories)
    text << story << '\n';
  text << "again, told step by step: steadfast-sim --runs 1 --seed " << seed << " --trace; fewer faults: --shrink\n";
  std::cout << text.str() << std::flush;
}

simulation::run_result play(const request& q, std::uint64_t seed, const std::filesystem::path& folder) {
  auto o = options_of(q, seed, folder);
  if (q.trace)
    o.on_step = print_step;
  auto r = simulation::run(o);
  o.on_step = {};
  if (q.twice && simulation::run(o).trace_hash != r.trace_hash)
    r.violations.emplace_back("the same seed was another run");
  return r;
}

void add(sum& s, const simulation::run_result& r) {
  ++s.runs;
  s.bad += r.violations.empty() ? 0 : 1;
  simulation::add(s.all, r);
  s.all.took.clear();
}

/// One process's share: the next seed that nobody has begun, again and again.
sum play_share(const request& q, progress& p, clock_type::time_point end) {
  const tests::temp_folder folder{tests::fast_place()};
  sum s;
  while (interrupted == 0 && (q.seconds <= 0 || clock_type::now() < end)) {
    const auto run = p.begun++;
    if (q.seconds <= 0 && run >= q.runs)
      break;
    const auto r = play(q, q.seed + run, folder.path() / "run");
    add(s, r);
    ++p.ended;
    p.bad += r.violations.empty() ? 0 : 1;
    if (!r.violations.empty())
      print_broken(q.seed + run, r);
  }
  return s;
}

json json_of(const sum& s) {
  const auto& a = s.all;
  return {s.runs,     s.bad,   a.steps, a.simulated.count(), a.tasks, a.processed, a.undone,
          a.in_error, a.kills, a.calls, json(a.probes)};
}

void add_json(sum& to, const json& j) {
  to.runs += j.at(0).get<std::uint64_t>();
  to.bad += j.at(1).get<std::uint64_t>();
  simulation::run_result r;
  r.steps = j.at(2);
  r.simulated = workflow::span{j.at(3).get<workflow::span::rep>()};
  r.tasks = j.at(4);
  r.processed = j.at(5);
  r.undone = j.at(6);
  r.in_error = j.at(7);
  r.kills = j.at(8);
  r.calls = j.at(9);
  r.probes = j.at(10).get<simulation::probe_counts>();
  simulation::add(to.all, r);
}

/// A process that plays its share and writes its sum into a pipe.
struct worker {
  pid_t pid = 0;
  int from = -1;
};

worker start_worker(const request& q, progress& p, clock_type::time_point end) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  std::cout.flush();
  const auto pid = fork();
  if (pid < 0)
    throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid > 0) {
    close(ends[1]);
    return {pid, ends[0]};
  }
  close(ends[0]);
  const auto text = json_of(play_share(q, p, end)).dump();
  const auto written = write(ends[1], text.data(), text.size());
  std::cout.flush();
  _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

/// What it wrote; throws std::runtime_error if it died.
json result_of(const worker& w) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(w.from, buffer, sizeof buffer)) != 0;)
    if (got > 0)
      text.append(buffer, static_cast<std::size_t>(got));
    else if (errno != EINTR)
      break;
  close(w.from);
  int status = 0;
  waitpid(w.pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error{"a process of the simulator died, status " + std::to_string(status)};
  return json::parse(text);
}

void tell_progress(const progress& p, const std::vector<worker>& workers) {
  auto told_at = clock_type::now();
  for (const auto& w : workers) {
    siginfo_t ended{};
    while (waitid(P_PID, static_cast<id_t>(w.pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
      usleep(20'000);
      if (clock_type::now() - told_at < std::chrono::seconds{10})
        continue;
      told_at = clock_type::now();
      std::cerr << p.ended << " runs, " << p.bad << " broke a promise\n";
    }
  }
}

} // namespace

simulation::run_options options_of(const request& q, std::uint64_t seed, const std::filesystem::path& folder) {
  auto o = tests::random_run(seed, folder);
  o.wall_error_max = std::chrono::milliseconds{static_cast<std::int64_t>(q.wall_error_hours * 3'600'000)};
  o.tasks_max = q.tasks;
  o.only = q.faults;
  o.skipped = q.skipped;
  return o;
}

sum play_all(const request& q) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto begun = clock_type::now();
  const auto end = begun + std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>{q.seconds});
  auto& p = shared_progress();
  sum s;
  std::vector<worker> workers;
  workers.reserve(q.jobs);
  for (unsigned i = 0; !q.trace && i < q.jobs; ++i)
    workers.push_back(start_worker(q, p, end));
  if (q.trace)
    s = play_share(q, p, end);
  tell_progress(p, workers);
  for (const auto& w : workers)
    add_json(s, result_of(w));
  s.seconds = std::chrono::duration<double>(clock_type::now() - begun).count();
  return s;
}

} // namespace steadfast::simulator
