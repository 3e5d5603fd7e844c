#include "apps/bench/runs/restart.hpp"

#include "api/names.hpp"
#include "apps/bench/figures/histogram.hpp"
#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/load/driver.hpp"
#include "apps/bench/runs/part.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "runtime/node/node_processes.hpp"
#include "steadfast/client.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

namespace steadfast::bench {
namespace {

using apps::failure;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds restart_limit{120};
constexpr seconds until_idle{3};
constexpr seconds before_the_kill{2};

double ms_since(steady::time_point begun, steady::time_point at) {
  return std::chrono::duration<double, std::milli>(at - begun).count();
}

double ms_since(steady::time_point begun, std::int64_t at) {
  return ms_since(begun, steady::time_point{steady::duration{at}});
}

void wait_until(const std::function<bool()>& is_so, const char* what, milliseconds look_again) {
  for (const auto until = steady::now() + restart_limit; !is_so(); std::this_thread::sleep_for(look_again)) {
    if (apps::interrupt_guard::interrupted())
      throw failure{apps::interrupted, "stopped by Ctrl-C"};
    if (steady::now() > until)
      throw failure{apps::our_fault, std::string{what} + " within two minutes"};
  }
}

bool answers(const std::filesystem::path& socket) {
  try {
    client{socket.string()}.call(api::node_describe, json::object());
    return true;
  } catch (const client_error&) {
    return false;
  }
}

/// Milliseconds until it answers. Memory is only measured if `idle` is given.
double start_and_stop(const std::filesystem::path& folder, process_figures* idle) {
  std::filesystem::create_directory(folder);
  const auto socket = folder / "store" / "control.sock";
  std::ofstream{folder / "node.toml"} << "[store]\npath = \"store\"\n";
  const auto begun = steady::now();
  const auto process =
    start_node(std::filesystem::read_symlink("/proc/self/exe"), folder / "node.toml", folder / "log");
  wait_until([&] { return answers(socket); }, "the node did not answer", milliseconds{1});
  const auto ready = ms_since(begun, steady::now());
  if (idle != nullptr) {
    std::this_thread::sleep_for(until_idle);
    *idle = figures_of(process);
  }
  stop_process(process, restart_limit);
  end_of(process);
  return ready;
}

std::int64_t open_in(const json& figures) {
  std::int64_t open = 0;
  for (const auto* state : {"pending", "processing", "undoing"})
    open += figures.at("tasks").value(state, std::int64_t{0});
  return open;
}

part_setup node_in(const std::filesystem::path& folder) {
  part_setup p;
  p.folder = folder.string();
  return p;
}

/// Tasks that are there and at agents when the process is killed.
void leave_behind(const std::filesystem::path& folder, std::uint64_t tasks) {
  auto p = node_in(folder);
  p.agents = "silent";
  fill_store(p, tasks);
  part node{p};
  const auto in_flight = std::min<std::uint64_t>(tasks, p.in_flight_max);
  wait_until([&] { return node.call("figures").at("tasks").value("processing", std::uint64_t{0}) >= in_flight; },
             "the tasks were not taken", milliseconds{20});
  node.kill();
}

json await_first_dispatch(part& node) {
  json figures;
  wait_until(
    [&] {
      figures = node.call("figures");
      return figures.at("first_dispatch_at").get<std::int64_t>() != 0;
    },
    "nothing was dispatched", milliseconds{5});
  return figures;
}

} // namespace

json measure_start(const std::filesystem::path& folder, std::size_t times) {
  std::vector<double> ready;
  process_figures idle;
  for (std::size_t i = 0; i < times; ++i)
    ready.push_back(start_and_stop(folder / std::to_string(i), i == 0 ? &idle : nullptr));
  std::sort(ready.begin(), ready.end());
  return {{"ready_ms", ready[ready.size() / 2]}, {"resident_bytes", idle.resident}};
}

json measure_restart(const std::filesystem::path& folder, std::uint64_t tasks) {
  leave_behind(folder, tasks);
  part node{node_in(folder)};
  const auto figures = await_first_dispatch(node);
  return {{"open", tasks},
          {"ready_ms", ms_since(node.started(), node.about().at("ready_at").get<std::int64_t>())},
          {"first_dispatch_ms", ms_since(node.started(), figures.at("first_dispatch_at").get<std::int64_t>())},
          {"resident_bytes", figures.at("resident")},
          {"resident_peak_bytes", figures.at("resident_peak")}};
}

json measure_kill(const std::filesystem::path& folder, std::uint32_t in_flight) {
  auto p = node_in(folder);
  p.in_flight_max = std::max(p.in_flight_max, in_flight);
  {
    part node{p};
    load_plan plan;
    plan.in_flight = in_flight;
    plan.seconds = 1e6;
    node.tell("drive", plan);
    std::this_thread::sleep_for(before_the_kill);
    node.kill();
  }
  part node{p};
  const auto found = open_in(node.call("figures"));
  json figures;
  wait_until([&] { return open_in(figures = node.call("figures")) == 0; }, "the tasks did not end", milliseconds{5});
  const auto done = steady::now();
  return {{"open", found},
          {"first_dispatch_ms", ms_since(node.started(), figures.at("first_dispatch_at").get<std::int64_t>())},
          {"all_done_ms", ms_since(node.started(), done)}};
}

} // namespace steadfast::bench
