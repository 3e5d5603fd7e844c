// How long a person waits for a page of tasks when the store holds very many.
//
//     bench_first_page [TASKS] [ROUNDS]
//
// Fills a store with TASKS tasks (1000000): nine of ten processed, one of a thousand cancelled, the rest pending.
// Starts a node on it and asks for the first page of 100, as `steadfast task list` does, in several ways, ROUNDS times
// each (50). Then asks for one task while somebody else asks something that looks at all tasks: nobody should wait for
// that.

#include "api/names.hpp"
#include "apps/bench/programs/parcels.hpp"
#include "apps/bench/programs/report.hpp"
#include "runtime/node/node.hpp"
#include "steadfast/client.hpp"
#include "store/engine/lmdb_store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace api = steadfast::api;
namespace fs = std::filesystem;
namespace store = steadfast::store;
namespace workflow = steadfast::workflow;
using clock_type = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::size_t batch_size = 2000;

void make_batch(store::state_store& s, std::size_t first, std::size_t count) {
  std::vector<store::write> writes;
  for (std::size_t i = first; i < first + count; ++i)
    writes.emplace_back(store::submit_task{bench::parcel_called("parcel-" + std::to_string(i)), bench::now()});
  writes.emplace_back(store::claim_tasks{"bench", count * 9 / 10, bench::now()});
  const auto taken = s.commit(writes).back().as<store::claim_result>().tasks;
  writes.clear();
  for (const auto& t : taken)
    writes.emplace_back(bench::update_of(t, bench::sent(t)));
  store::task_filter waiting;
  waiting.states = {workflow::process_state::pending};
  const auto pending = s.list(waiting, std::nullopt, count / 1000);
  for (const auto& t : pending.tasks)
    writes.emplace_back(bench::update_of(t, workflow::cancelled{{"bench", "not wanted"}}));
  s.commit(writes);
}

void fill(const fs::path& path, std::size_t tasks) {
  store::store_options o;
  o.path = path;
  const auto s = store::open_lmdb_store(o);
  s->commit({store::register_definition{bench::parcel()}});
  const auto begun = clock_type::now();
  for (std::size_t done = 0; done < tasks; done += batch_size) {
    make_batch(*s, done, std::min(batch_size, tasks - done));
    if (done % (50 * batch_size) == 0)
      std::cerr << "filling: " << done << " of " << tasks << " tasks\n";
  }
  const std::chrono::duration<double> took = clock_type::now() - begun;
  std::cout << tasks << " tasks made in " << std::fixed << std::setprecision(1) << took.count() << " s, "
            << s->sizes().bytes_used / (1 << 20) << " MiB\n";
}

void measure(steadfast::client& node, const std::string& what, const std::string& method, const json& params,
             int rounds) {
  std::vector<double> ms;
  std::size_t rows = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto begun = clock_type::now();
    const auto answer = node.call(method, params);
    ms.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - begun).count());
    rows = answer.contains("tasks") ? answer.at("tasks").size() : 1;
  }
  const auto first = ms.front();
  std::sort(ms.begin(), ms.end());
  std::cout << std::left << std::setw(44) << what << std::right << std::setw(6) << rows << std::fixed
            << std::setprecision(1) << std::setw(10) << first << std::setw(10) << bench::percentile(ms, 50)
            << std::setw(10) << bench::percentile(ms, 99) << '\n';
}

struct question {
  std::string what;
  std::string method;
  json params;
};

/// At least `rounds` times, and until the other question was answered once.
void measure_beside(const std::string& socket, const question& other, const std::string& id, int rounds) {
  std::atomic<bool> is_over = false;
  std::atomic<int> answered = 0;
  std::vector<double> took;
  std::thread asks{[&] {
    steadfast::client node{socket};
    while (!is_over) {
      const auto begun = clock_type::now();
      node.call(other.method, other.params);
      took.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - begun).count());
      ++answered;
    }
  }};
  steadfast::client node{socket};
  std::vector<double> ms;
  while (answered == 0 || std::ssize(ms) < rounds) {
    const auto begun = clock_type::now();
    node.call(api::task_show, {{"id", id}});
    ms.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - begun).count());
  }
  is_over = true;
  asks.join();
  std::sort(ms.begin(), ms.end());
  std::sort(took.begin(), took.end());
  std::cout << std::left << std::setw(44) << other.what << std::right << std::fixed << std::setprecision(1)
            << std::setw(10) << bench::percentile(took, 50) << std::setw(10) << bench::percentile(ms, 50)
            << std::setw(10) << bench::percentile(ms, 99) << std::setw(10) << ms.back() << '\n';
}

void ask_beside(const std::string& socket, const std::string& id, int rounds) {
  const std::vector<question> others{
    {"text=nothing, one page", api::task_list, {{"max", 100}, {"text", "nothing"}}},
    {"the newest by how long they took", api::task_list, {{"max", 100}, {"sort", "took"}}},
    {"how many by cause", api::task_count, {{"by", "cause"}}},
    {"workflows with success and time", api::workflow_list, json::object()},
    {"what tasks wait for", api::task_stuck, json::object()},
    {"questions that wait for a person", api::approval_list, json::object()},
    {"check of the store", api::store_check, json::object()},
  };
  std::cout << "\n"
            << std::left << std::setw(44) << "one task, ms, while somebody asks for" << std::right << std::setw(10)
            << "takes" << std::setw(10) << "p50" << std::setw(10) << "p99" << std::setw(10) << "longest" << '\n';
  for (const auto& other : others)
    measure_beside(socket, other, id, 10 * rounds);
}

void ask(const fs::path& folder, std::size_t tasks, int rounds) {
  steadfast::node_options o;
  o.name = "bench";
  o.roles.scheduler = o.roles.supervisor = o.roles.agents = false;
  o.store.path = folder / "store";
  o.socket = folder / "control.sock";
  o.log.level = "off";
  steadfast::assembled_node n{o};
  n.start();
  steadfast::client node{o.socket.string()};
  std::cout << "\n"
            << std::left << std::setw(44) << "first page of 100, ms" << std::right << std::setw(6) << "rows"
            << std::setw(10) << "first" << std::setw(10) << "p50" << std::setw(10) << "p99" << '\n';
  const auto some = std::to_string(tasks / 2);
  measure(node, "all", api::task_list, {{"max", 100}}, rounds);
  measure(node, "state=pending", api::task_list, {{"max", 100}, {"states", {"pending"}}}, rounds);
  measure(node, "state=undone", api::task_list, {{"max", 100}, {"states", {"undone"}}}, rounds);
  measure(node, "workflow=parcel", api::task_list, {{"max", 100}, {"workflow", "parcel"}}, rounds);
  measure(node, "text=" + some, api::task_list, {{"max", 100}, {"text", some}}, rounds);
  measure(node, "text=nothing (looks at 20000, then goes on)", api::task_list, {{"max", 100}, {"text", "nothing"}},
          rounds);
  measure(node, "one task", api::task_show, {{"id", "parcel-" + some}}, rounds);
  measure(node, "figures", api::store_stats, json::object(), rounds);
  ask_beside(o.socket.string(), "parcel-" + some, rounds);
}

int run(std::size_t tasks, int rounds) {
  auto folder = (fs::temp_directory_path() / "steadfast-first-page-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    throw std::runtime_error{"no folder can be made like " + folder};
  fill(fs::path{folder} / "store", tasks);
  ask(folder, tasks, rounds);
  fs::remove_all(folder);
  std::cout << '\n' << rounds << " rounds each; " << bench::machine_text() << '\n';
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
    std::cerr << "usage: bench_first_page [TASKS] [ROUNDS]\n";
    return 2;
  }
  try {
    return run(argc > 1 ? std::stoul(argv[1]) : 1'000'000, argc > 2 ? std::stoi(argv[2]) : 50);
  } catch (const std::exception& e) {
    std::cerr << "bench_first_page: " << e.what() << '\n';
    return 1;
  }
}
