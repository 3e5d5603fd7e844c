#include "simulation/run/batch.hpp"

#include "simulation/run/run_json.hpp"

#include <nlohmann/json.hpp>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace steadfast::simulation {

namespace {

constexpr unsigned jobs_max = 256;
constexpr useconds_t look_every_us = 50'000;

/// Shared by the processes.
struct shared_counts {
  std::atomic<std::uint64_t> begun{0}; ///< runs
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> broken{0};
  std::array<std::atomic<std::uint64_t>, jobs_max> playing{}; ///< the seed that each process plays
};

class shared_memory {
public:
  shared_memory()
      : place_{mmap(nullptr, sizeof(shared_counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)} {
    if (place_ == MAP_FAILED)
      throw std::system_error{errno, std::generic_category(), "mmap"};
    counts_ = new (place_) shared_counts;
  }
  ~shared_memory() { munmap(place_, sizeof(shared_counts)); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  shared_counts& counts() { return *counts_; }

private:
  void* place_;
  shared_counts* counts_ = nullptr;
};

void tell(const batch& b, const shared_counts& c) {
  if (b.on_progress)
    b.on_progress({c.ended, c.tasks, c.broken});
}

void count_run(batch_result& s, std::uint64_t seed, run_result&& r) {
  ++s.runs;
  add(s.all, r);
  if (!r.violations.empty())
    s.broken.push_back({seed, r.steps, std::move(r.violations), std::move(r.stories)});
}

/// The share of one process: again and again the next seed that nobody has begun.
batch_result play_share(const batch& b, shared_counts& c, unsigned job, bool is_alone) {
  batch_result s;
  while (!b.is_over() && !(b.until_broken && c.broken > 0)) {
    const auto number = c.begun++;
    if (number >= b.runs)
      break;
    const auto seed = b.first_seed + number;
    c.playing.at(job) = seed;
    auto r = b.play(seed, b.folder / ("run-" + std::to_string(job)));
    c.tasks += r.tasks;
    c.broken += r.violations.empty() ? 0 : 1;
    ++c.ended;
    count_run(s, seed, std::move(r));
    if (is_alone)
      tell(b, c);
  }
  return s;
}

// ---- what a process hands over ----

nlohmann::json share_json(const batch_result& s) {
  auto broken = nlohmann::json::array();
  for (const auto& x : s.broken)
    broken.push_back({x.seed, x.steps, x.violations, x.stories});
  return {s.runs, result_json(s.all), broken};
}

void add_share(batch_result& to, const nlohmann::json& share) {
  to.runs += share.at(0).get<std::uint64_t>();
  add(to.all, result_of_json(share.at(1)));
  for (const auto& x : share.at(2))
    to.broken.push_back({x.at(0), x.at(1), x.at(2), x.at(3)});
}

std::filesystem::path share_file(const batch& b, unsigned job) {
  return b.folder / ("share-" + std::to_string(job));
}

/// Never returns. A share that could not be played is handed over as a text.
[[noreturn]] void play_and_hand_over(const batch& b, shared_counts& c, unsigned job) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read it
  nlohmann::json share;
  try {
    share = share_json(play_share(b, c, job, false));
  } catch (const std::exception& e) {
    share = "seed " + std::to_string(c.playing.at(job)) + ": " + e.what();
  }
  std::ofstream out{share_file(b, job)};
  out << share.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::flush;
  std::cout << std::flush;
  _exit(out ? 0 : 1);
}

pid_t start_process(const batch& b, shared_counts& c, unsigned job) {
  std::cout << std::flush;
  const auto pid = fork();
  if (pid < 0)
    throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid == 0)
    play_and_hand_over(b, c, job);
  return pid;
}

/// Waits for its end, and reports progress meanwhile; returns its status.
int wait_for(pid_t pid, const batch& b, const shared_counts& c) {
  int status = 0;
  for (;;) {
    const auto ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid)
      return status;
    if (ended < 0 && errno != EINTR)
      throw std::system_error{errno, std::generic_category(), "waitpid"};
    tell(b, c);
    usleep(look_every_us);
  }
}

nlohmann::json share_of(const batch& b, unsigned job, int status, std::uint64_t seed) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error{"a process of the simulation died at seed " + std::to_string(seed) + ", status "
                             + std::to_string(status)};
  std::ifstream in{share_file(b, job)};
  auto share = nlohmann::json::parse(in);
  if (share.is_string())
    throw std::runtime_error{share.get<std::string>()};
  return share;
}

batch_result play_in_processes(const batch& b, shared_counts& c, unsigned jobs) {
  std::vector<pid_t> processes;
  processes.reserve(jobs);
  for (unsigned job = 0; job < jobs; ++job)
    processes.push_back(start_process(b, c, job));
  std::vector<int> statuses;
  statuses.reserve(jobs);
  for (const auto pid : processes)
    statuses.push_back(wait_for(pid, b, c));
  batch_result s;
  for (unsigned job = 0; job < jobs; ++job)
    add_share(s, share_of(b, job, statuses[job], c.playing.at(job)));
  return s;
}

} // namespace

batch_result play_all(const batch& b) {
  shared_memory shared;
  const auto jobs = static_cast<unsigned>(std::min<std::uint64_t>({b.jobs, b.runs, jobs_max}));
  auto s = jobs > 1 ? play_in_processes(b, shared.counts(), jobs) : play_share(b, shared.counts(), 0, true);
  std::sort(s.broken.begin(), s.broken.end(), [](const auto& x, const auto& y) {
    return std::pair{x.steps, x.seed} < std::pair{y.steps, y.seed};
  });
  return s;
}

} // namespace steadfast::simulation
