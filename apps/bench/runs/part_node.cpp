#include "apps/bench/runs/part_node.hpp"

#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/load/driver.hpp"
#include "runtime/node/node_inside.hpp"
#include "store/joined/joined_store.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace steadfast::bench {
namespace {

constexpr std::uint64_t store_size_max = 32ULL << 30;
constexpr std::uint32_t http_connections = 4096;
constexpr std::uint32_t orders_at_once = 4096; ///< of an agent that does nothing

bool has(const part_setup& s, const char* role) {
  return std::find(s.roles.begin(), s.roles.end(), role) != s.roles.end();
}

actors::agent_options options_of_agent(const part_setup& setup, const std::string& name) {
  actors::agent_options o;
  o.name = name;
  if (setup.agents == "paced")
    return o;
  o.concurrency = setup.agents == "http" ? 64 : std::max(orders_at_once, setup.in_flight_max);
  o.queue = std::max(o.queue, setup.in_flight_max);
  return o;
}

node_options options_of(const part_setup& setup) {
  const std::filesystem::path folder{setup.folder};
  node_options o;
  o.name = setup.name;
  o.roles = {has(setup, "store"), has(setup, "scheduler"), has(setup, "supervisor"), has(setup, "agents")};
  o.socket = folder / "control.sock";
  o.store.path = folder / "store";
  o.store.size_max = store_size_max;
  o.store_server.url = setup.server;
  o.store_server.schema = setup.schema;
  o.cluster.listen = setup.listen;
  if (setup.http_port != 0) {
    o.http.listen = "127.0.0.1:" + std::to_string(setup.http_port);
    o.http.connections_max = http_connections;
  }
  o.cluster.join = setup.join;
  if (!setup.certificates.empty() && o.cluster.is_used()) {
    const std::filesystem::path certificates{setup.certificates};
    o.cluster.certificate = certificates / (setup.name + ".pem");
    o.cluster.key = certificates / (setup.name + ".key");
    o.cluster.authority = certificates / "authority.pem";
  }
  o.in_flight_max = setup.in_flight_max;
  if (setup.server.empty())
    o.partitions = setup.partitions;
  if (setup.keep_at_most >= 0)
    o.retention.others.keep_at_most = static_cast<std::uint64_t>(setup.keep_at_most);
  o.workflows = has(setup, "store") ? std::vector{definition_of(setup.load)} : std::vector<workflow::definition>{};
  if (setup.agents == "http" && has(setup, "agents"))
    for (std::uint32_t i = 1; i <= agents_of(setup.load); ++i) {
      actors::http_options http;
      http.url = setup.url;
      http.ca_file = setup.ca_file;
      o.agents.push_back({options_of_agent(setup, agent_name(i)), http, {}});
    }
  return o;
}

/// Notes when it is called first.
actors::agent_function timed(actors::quick_function f, std::shared_ptr<std::atomic<std::int64_t>> first) {
  return actors::quick_function{[run = std::move(f.run), first = std::move(first)](const actors::call& c) {
    if (first->load(std::memory_order_relaxed) == 0)
      first->store(std::chrono::steady_clock::now().time_since_epoch().count());
    return run(c);
  }};
}

store::joined_store joined(const watched_stores& partitions) {
  return store::joined_store{{partitions.begin(), partitions.end()}};
}

} // namespace

part_node::part_node(const part_setup& setup)
    : setup_{setup},
      first_dispatch_{std::make_shared<std::atomic<std::int64_t>>(0)},
      node_{options_of(setup)} {
  add_agents(setup);
  if (has(setup, "store"))
    node_inside{node_}.wrap_store([this](std::shared_ptr<store::local_store> real) {
      const bool is_filled = setup_.roles == std::vector<std::string>{"store"}; // by fill(), next to the node
      return stores_.emplace_back(std::make_shared<watched_store>(std::move(real), !is_filled, setup_.server.empty()));
    });
  node_.start();
}

void part_node::add_agents(const part_setup& setup) {
  if (!has(setup, "agents") || setup.agents == "http")
    return;
  for (std::uint32_t i = 1; i <= agents_of(setup.load); ++i) {
    const auto name = agent_name(i);
    auto run = setup.agents == "silent" ? silent_agent()
               : setup.agents == "paced"
                 ? paced_agent(setup.pace)
                 : timed(std::get<actors::quick_function>(agent_of(setup.load)), first_dispatch_);
    node_inside{node_}.add_agent(name, std::move(run), options_of_agent(setup, name));
  }
}

nlohmann::json part_node::drive(const nlohmann::json& plan, const std::function<bool()>& is_stopped) {
  return bench::drive({node_inside{node_}.system(), node_inside{node_}.parts().gateway, stores_}, setup_.load,
                      plan.get<load_plan>(), is_stopped);
}

void part_node::fill(std::uint64_t tasks) {
  constexpr std::uint64_t batch_size = 2000;
  auto all = joined(stores_);
  std::vector<store::write> batch;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    const auto now = std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now());
    batch.emplace_back(store::submit_task{submission_of(setup_.load, i), now});
    if (batch.size() == batch_size || i + 1 == tasks)
      all.commit(std::exchange(batch, {}));
  }
}

nlohmann::json part_node::figures() const {
  nlohmann::json j = figures_now();
  j["first_dispatch_at"] = first_dispatch_->load();
  if (stores_.empty())
    return j;
  auto all = joined(stores_);
  const auto s = stats_of(all, &all);
  j["store"] = figures_of(stores_);
  j["store_bytes"] = s.bytes_used;
  for (const auto& [state, count] : s.tasks)
    j["tasks"][std::string{workflow::to_string(state)}] = count;
  j["tasks"]["left"] = s.tasks_purged;
  return j;
}

} // namespace steadfast::bench
