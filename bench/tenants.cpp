// How long a task of one customer takes while very many tasks of another one wait, of a workflow with a limit.
//
//     bench_tenants [TASKS] [AT_A_TIME] [TIMES]
//
// A node in this process, with a new store under the working directory and an agent that does nothing. First TIMES (50)
// tasks of one customer, one after the other, alone. Then another customer has TASKS (100,000) tasks, of which
// AT_A_TIME (1) may be under way, and the same is measured again; and how many of these end in a second.

#include "bench/report.hpp"
#include "bench/scratch.hpp"
#include "steadfast/node.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::chrono::minutes patience{5};

struct wanted {
  int tasks = 100'000;
  std::uint32_t at_a_time = 1;
  int times = 50;
};

void submit(steadfast::node& node, const std::string& customer, const std::string& id) {
  node.submit("charge", R"({"customer":")" + customer + "\"}", {.id = id});
}

/// By several threads, since each waits for its commit.
void submit_all(steadfast::node& node, const wanted& w) {
  constexpr int threads = 64;
  std::atomic<int> next = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int n = next++; n < w.tasks; n = next++)
        submit(node, "large", "large-" + std::to_string(n));
    });
  for (auto& t : all)
    t.join();
}

/// Looks each millisecond; node::wait looks ever less often.
void wait_for(steadfast::node& node, const std::string& id) {
  const auto until = clock_type::now() + patience;
  while (node.call("task.state", {{"id", id}}).at("process_state") != "processed") {
    if (clock_type::now() > until)
      throw std::runtime_error{"task " + id + " was not processed"};
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

std::vector<double> measured(steadfast::node& node, const wanted& w, const std::string& name) {
  std::vector<double> took;
  for (int i = 0; i < w.times; ++i) {
    const auto id = name + "-" + std::to_string(i);
    const auto since = clock_type::now();
    submit(node, "small", id);
    wait_for(node, id);
    took.push_back(milliseconds{clock_type::now() - since}.count());
  }
  std::sort(took.begin(), took.end());
  return took;
}

void print(const std::string& what, const std::vector<double>& took) {
  std::cout << std::left << std::setw(44) << what << std::right << std::fixed << std::setprecision(2) << std::setw(9)
            << bench::percentile(took, 50) << std::setw(9) << bench::percentile(took, 99) << std::setw(9) << took.back()
            << '\n';
}

std::uint64_t processed(steadfast::node& node) {
  return node.call("store.stats", nlohmann::json::object()).at("tasks").value("processed", std::uint64_t{0});
}

void run(const wanted& w) {
  const bench::scratch folder;
  steadfast::node node{{.name = "bench", .store = folder.path() / "store"}};
  steadfast::workflow_builder charge{"charge"};
  charge.add(steadfast::step{"pay", "pay"}).limit("/customer", w.at_a_time);
  node.add_workflow(charge);
  node.add_agent("pay",
                 steadfast::quick_function{[](const steadfast::agent_call&) { return steadfast::succeeded("{}"); }});
  node.start();
  std::cout << bench::machine_text() << '\n'
            << std::left << std::setw(44) << "one task, from submission to its end, ms" << std::right << std::setw(9)
            << "median" << std::setw(9) << "p99" << std::setw(9) << "longest" << '\n';
  const auto alone = measured(node, w, "alone");
  print("alone", alone);
  submit_all(node, w);
  const auto before = processed(node);
  const auto since = clock_type::now();
  const auto beside = measured(node, w, "beside");
  const auto seconds = milliseconds{clock_type::now() - since}.count() / 1000;
  const auto after = processed(node);
  print("beside " + std::to_string(w.tasks) + " tasks of another customer", beside);
  std::cout << std::setprecision(1) << bench::percentile(beside, 50) / bench::percentile(alone, 50)
            << " times as long; meanwhile the other customer had " << static_cast<double>(after - before) / seconds
            << " tasks a second done\n";
  node.stop(std::chrono::seconds{1});
}

} // namespace

int main(int argc, char** argv) {
  try {
    wanted w;
    if (argc > 1)
      w.tasks = std::stoi(argv[1]);
    if (argc > 2)
      w.at_a_time = static_cast<std::uint32_t>(std::stoul(argv[2]));
    if (argc > 3)
      w.times = std::stoi(argv[3]);
    run(w);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_tenants: " << e.what() << '\n';
    return 1;
  }
}
