#include "apps/bench/measurements.hpp"

#include "apps/bench/runs/overload.hpp"
#include "apps/bench/runs/restart.hpp"

#include <fmt/format.h>

#include <utility>

namespace steadfast::bench {
namespace {

constexpr double usual_seconds = 4;

client_place client_of(const std::string& name) {
  return name == "node"     ? client_place::node
         : name == "socket" ? client_place::socket
         : name == "http"   ? client_place::http
                            : client_place::here;
}

agent_place agents_of(const std::string& name) {
  return name == "node"    ? agent_place::node
         : name == "http"  ? agent_place::http
         : name == "https" ? agent_place::https
                           : agent_place::here;
}

/// What differs from the usual, for the name.
std::string differences(const scenario& s) {
  std::string text;
  if (s.load.fail_step > 0)
    text += fmt::format(", step {} fails", s.load.fail_step);
  if (s.keep_at_most >= 0)
    text += fmt::format(", the last {} ended tasks are kept", s.keep_at_most);
  if (s.partitions > 1)
    text += fmt::format(", {} partitions", s.partitions);
  if (s.in_flight_max != scenario{}.in_flight_max)
    text += fmt::format(", {} at the scheduler", s.in_flight_max);
  if (s.client == client_place::node)
    text += ", client in another process (CAF)";
  if (s.client == client_place::socket)
    text += ", client in another process (socket)";
  if (s.client == client_place::http)
    text += ", client over HTTP";
  if (s.agents == agent_place::node)
    text += ", agents in another process (CAF)";
  if (s.agents == agent_place::http)
    text += ", agents over HTTP";
  if (s.agents == agent_place::https)
    text += ", agents over HTTPS";
  if (s.certificates)
    text += ", certificates";
  return text;
}

scenario usual(const choice& c) {
  scenario s;
  s.load = c.load;
  s.keep_at_most = c.keep_at_most;
  s.partitions = c.partitions;
  s.in_flight_max = c.in_flight_max;
  s.plan.seconds = c.seconds > 0 ? c.seconds : usual_seconds;
  s.client = client_of(c.client);
  s.agents = agents_of(c.agents);
  s.certificates = c.certificates;
  return s;
}

scenario closed_loop(const choice& c, std::uint32_t in_flight) {
  auto s = usual(c);
  s.plan.in_flight = in_flight;
  if (s.client == client_place::socket || s.client == client_place::http)
    s.connections = in_flight;
  s.name = fmt::format("closed loop, {} in flight", in_flight) + differences(s);
  return s;
}

scenario open_loop(const choice& c, std::uint32_t rate) {
  auto s = usual(c);
  s.plan.rate = rate;
  s.name = fmt::format("open loop, {} per second", rate) + differences(s);
  return s;
}

measurement restart(std::uint64_t tasks) {
  return {fmt::format("restart with {} unfinished tasks", tasks),
          [tasks](const std::filesystem::path& folder) { return measure_restart(folder, tasks); }};
}

measurement overload(std::uint32_t per_second) {
  return {fmt::format("recovery from overload, {} per second", per_second),
          [per_second](const std::filesystem::path& folder) { return measure_overload(folder, per_second); }};
}

choice with(choice c, const char* client, const char* agents) {
  c.client = client;
  c.agents = agents;
  return c;
}

/// Next to each other, so that they can be compared.
void add_loop(std::vector<measurement>& to, const choice& c, scenario s) {
  to.push_back(measurement_of(s));
  if (c.server.empty())
    return;
  s.server = c.server;
  s.name += ", on PostgreSQL";
  to.push_back(measurement_of(std::move(s)));
}

/// A little of everything.
std::vector<measurement> short_set(const choice& c) {
  std::vector<measurement> all;
  if (!c.server.empty()) {
    for (const auto n : {1U, 256U, 4096U})
      add_loop(all, c, closed_loop(c, n));
    return all;
  }
  for (const auto n : {1U, 16U, 64U, 256U, 4096U})
    all.push_back(measurement_of(closed_loop(c, n)));
  if (c.load.fail_step == 0 && c.load.steps >= 4) {
    auto failing = c;
    failing.load.fail_step = 4;
    all.push_back(measurement_of(closed_loop(failing, 256)));
  }
  all.push_back(measurement_of(open_loop(c, 1000)));
  auto burst = c;
  burst.seconds = 1;
  all.push_back(measurement_of(open_loop(burst, 20'000)));
  all.push_back(measurement_of(closed_loop(with(c, "socket", "here"), 16)));
  all.push_back(measurement_of(closed_loop(with(c, "node", "here"), 256)));
  all.push_back(measurement_of(closed_loop(with(c, "here", "node"), 256)));
  all.push_back(measurement_of(closed_loop(with(c, "here", "http"), 256)));
  all.push_back(restart(10'000));
  all.push_back(overload(300));
  return all;
}

} // namespace

scenario with_backlog(scenario s, std::uint32_t waiting) {
  s.name = fmt::format("backlog of {}", waiting) + differences(s);
  s.there_before = waiting;
  s.plan.in_flight = waiting + s.in_flight_max; // what the scheduler has in flight does not wait
  s.plan.warm_up = 4;                           // store_actor reads the ids of a store that is not new
  s.plan.drain_limit = 0;
  return s;
}

measurement measurement_of(scenario s) {
  auto name = s.name;
  return {std::move(name), [s = std::move(s)](const std::filesystem::path& folder) { return measure(s, folder); }};
}

std::vector<measurement> measurements_of(const choice& c) {
  std::vector<measurement> all;
  for (const auto n : c.in_flight)
    add_loop(all, c, closed_loop(c, n));
  for (const auto waiting : c.backlogs)
    all.push_back(measurement_of(with_backlog(usual(c), waiting)));
  for (const auto rate : c.rates)
    add_loop(all, c, open_loop(c, rate));
  for (const auto tasks : c.restarts)
    all.push_back(restart(tasks));
  for (const auto rate : c.overloads)
    all.push_back(overload(rate));
  if (all.empty())
    all = short_set(c);
  std::erase_if(all, [&](const measurement& m) { return m.name.find(c.only) == std::string::npos; });
  return all;
}

std::string workload_text(const workload& w) {
  return fmt::format("tasks of {} steps that do nothing, payload {} B, results {} B, ids {}", w.steps, w.payload,
                     w.result, w.ordered_ids ? "ascending" : "in no order");
}

} // namespace steadfast::bench
