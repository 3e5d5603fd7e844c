// A cluster under steady load for minutes, and whether anything of it grows that must not: memory, descriptors,
// threads, reader slots, files, latency. Ended tasks leave after a while, so nothing has a reason to.

#include "steadfast/client.hpp"
#include "tests/soak/gate.hpp"
#include "tests/soak/watch.hpp"
#include "tests/support/clusters/node_cluster.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using steadfast::tests::node_cluster;

namespace {

const std::vector<std::string> nodes{"a", "b", "c"};

double minutes_since(clock_type::time_point begun) {
  return std::chrono::duration<double, std::ratio<60>>(clock_type::now() - begun).count();
}

/// Clients that submit a task each and wait for its end, again and again, with a pause.
class load {
public:
  load(const node_cluster& cluster, int clients, std::chrono::milliseconds pause) {
    for (int i = 0; i < clients; ++i)
      threads_.emplace_back(
        [this, i, pause, socket = cluster.socket(nodes[static_cast<std::size_t>(i) % nodes.size()])] {
          play(i, socket, pause);
        });
  }
  ~load() { is_over_ = true; }

  /// Milliseconds from submission to the news of the end, of those that ended since the last call; the median of them.
  /// Nothing ended: -1.
  double latency() {
    std::vector<double> took;
    {
      const std::lock_guard lock{mutex_};
      took.swap(took_);
    }
    if (took.empty())
      return -1;
    const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
    std::nth_element(took.begin(), middle, took.end());
    return *middle;
  }
  int ended() const { return ended_; }
  int failures() const { return failures_; }

private:
  void play(int number, const std::string& socket, std::chrono::milliseconds pause) {
    steadfast::client to{socket};
    for (int i = 0; !is_over_; ++i) {
      steadfast::submit_options how;
      how.id = std::to_string(number) + "-" + std::to_string(i);
      const bool is_refused = i % 5 == 4; // every fifth is undone
      const auto begun = clock_type::now();
      try {
        to.submit(is_refused ? "refused" : "three", "{}", how);
        const auto state = to.wait(how.id, 60s);
        if (state != (is_refused ? "undone" : "processed"))
          fail("task " + how.id + " is " + state);
        const std::lock_guard lock{mutex_};
        if (!is_refused)
          took_.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - begun).count());
        ++ended_;
      } catch (const std::exception& e) {
        fail("task " + how.id + ": " + e.what());
      }
      std::this_thread::sleep_for(pause);
    }
  }

  void fail(const std::string& what) {
    if (++failures_ <= 5)
      std::cerr << what << '\n';
  }

  std::mutex mutex_;
  std::vector<double> took_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> ended_ = 0;
  std::atomic<int> failures_ = 0;
  std::vector<std::jthread> threads_;
};

/// All that is looked at, by what it is called.
using courses = std::map<std::string, soak::course>;

void look(node_cluster& cluster, load& work, double minute, courses& seen) {
  for (const auto& n : nodes) {
    const auto pid = cluster.process(n).pid();
    seen["memory " + n].emplace_back(work.ended() / 1000.0, soak::own_memory(pid));
    seen["descriptors " + n].emplace_back(minute, soak::descriptors(pid));
    seen["threads " + n].emplace_back(minute, soak::threads(pid));
  }
  const auto folder = std::filesystem::path{cluster.config("a")}.parent_path();
  const auto files = soak::files_under(folder / "store");
  seen["files"].emplace_back(minute, files.count);
  seen["bytes"].emplace_back(minute, files.kibibytes);
  seen["readers"].emplace_back(minute, soak::reader_slots(folder / "store"));
  if (const auto took = work.latency(); took >= 0)
    seen["latency"].emplace_back(minute, took);
}

/// Growth that passes. Of the last 16,384 tasks an agent remembers the epochs, and the store the ids of the last
/// 262,144: both take memory for each task, until there are so many. A thread is added when more calls than ever are
/// under way at once, and stays.
std::map<std::string, soak::gate> gates() {
  std::map<std::string, soak::gate> all;
  for (const auto& n : nodes) {
    all["memory " + n] = {"memory of node " + n, "KiB", 350, false, "1,000 tasks"};
    all["descriptors " + n] = {"descriptors of node " + n, "", 0.1, false};
    all["threads " + n] = {"threads of node " + n, "", 0.5, false};
  }
  all["files"] = {"files of the store", "", 0.1, false};
  all["bytes"] = {"the store on disk", "KiB", 0.5, true};
  all["readers"] = {"reader slots", "", 0.1, false};
  all["latency"] = {"latency of a task, median", "ms", 2, true};
  return all;
}

/// Whether all pass.
bool print_gate_results(const courses& seen) {
  bool all_passed = true;
  fmt::print("{:<26} {:>12} {:>12} {:>10}  {}\n", "what", "median", "growth", "at most", "in");
  for (const auto& [name, gate] : gates()) {
    const auto found = seen.find(name);
    const auto j = soak::gate_result_of(gate, found == seen.end() ? soak::course{} : found->second);
    const auto* percent = gate.in_percent ? " %" : "";
    fmt::print("{:<26} {:>12} {:>12} {:>10}  {}{}\n", gate.what, fmt::format("{:.0f} {}", j.median, gate.unit),
               fmt::format("{:+.2f}{}", j.growth, percent), fmt::format("{}{}", gate.growth_max, percent), gate.in,
               j.passed ? "" : "  EXCEEDED");
    all_passed = all_passed && j.passed;
  }
  return all_passed;
}

int play(const std::string& program, double minutes, bool certificates, const std::string& keep_figures) {
  using steadfast::tests::trust;
  node_cluster cluster{program, nullptr, {}, certificates ? trust::certified : trust::plain};
  for (const auto& n : nodes)
    std::ofstream{cluster.config(n), std::ios::app} << "\n[retention]\nkeep_for = \"20s\"\n";
  cluster.start();
  courses seen;
  load work{cluster, 9, 150ms};
  const auto begun = clock_type::now();
  const double warm = std::max(0.25 * minutes, std::min(minutes / 2, 1.0)); // until the first tasks have left
  while (minutes_since(begun) < minutes) {
    std::this_thread::sleep_for(3s);
    const auto minute = minutes_since(begun);
    if (minute < warm)
      work.latency(); // not counted
    else
      look(cluster, work, minute, seen);
  }
  if (!keep_figures.empty()) {
    std::ofstream out{keep_figures};
    for (const auto& [name, points] : seen)
      for (const auto& [minute, value] : points)
        out << name << ',' << minute << ',' << value << '\n';
  }
  fmt::print("{:.1f} minutes, the first {:.1f} not counted: {} tasks ended\n", minutes, warm, work.ended());
  const bool all_passed = print_gate_results(seen);
  if (work.failures() > 0)
    fmt::print("{} tasks did not end as they should\n", work.failures());
  const auto lost = cluster.lost_connections();
  if (lost > 0)
    fmt::print("{} connections were lost\n", lost);
  const bool passed = all_passed && work.failures() == 0 && lost == 0;
  fmt::print("steadfast_soak: {}\n", passed ? "PASSED: nothing grew that must not" : "FAILED");
  return passed ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::string program;
  std::string figures;
  double minutes = 10;
  bool certificates = false;
  CLI::App app{"A cluster of three nodes under steady load, and whether anything grows that must not.",
               "steadfast_soak"};
  app.add_option("--program", program, "steadfast")->required()->check(CLI::ExistingFile);
  app.add_option("--minutes", minutes, "[10]")->check(CLI::Range(0.2, 1440.0));
  app.add_flag("--certificates", certificates, "the nodes know each other by certificates");
  app.add_option("--figures", figures, "file for all that was looked at: what,minute,value");
  app.footer("Exit codes: 0 nothing grew, 1 a gate was exceeded, 2 wrong command line, 3 it could not be played.");
  CLI11_PARSE(app, argc, argv);
  try {
    return play(program, minutes, certificates, figures);
  } catch (const std::exception& e) {
    std::cerr << "steadfast_soak: " << e.what() << '\n';
    return 3;
  }
}
