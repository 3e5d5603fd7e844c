#pragma once

#include "apps/bench/load/driver.hpp"
#include "apps/bench/runs/part.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace steadfast::bench {

/// Where the submitting client is.
enum class client_place : std::uint8_t {
  here,   ///< an actor in the node's process
  node,   ///< an actor of a node without roles, in another process, over CAF
  socket, ///< another process, at the control channel
  http,   ///< another process, at the HTTP port
};

/// Where the agents are.
enum class agent_place : std::uint8_t {
  here,  ///< C++ functions in the node's process
  node,  ///< C++ functions in a node of their own, over CAF
  http,  ///< in the node's process, with a call over HTTP to a service in another for each order
  https, ///< likewise, over TLS
};

/// One measurement.
struct scenario {
  std::string name;
  std::string server; ///< URL of a PostgreSQL server that gets the store; empty: it is in files
  workload load;
  load_plan plan;
  client_place client = client_place::here;
  agent_place agents = agent_place::here;
  bool is_only_stored = false;    ///< what is submitted: no node is a scheduler. REQUIRES: a client elsewhere
  bool certificates = false;      ///< of nodes that are connected
  std::uint32_t connections = 16; ///< of a client at the control channel or the HTTP port
  std::uint32_t batch = 1;        ///< submissions of one request over HTTP
  double lists_per_second = 0;    ///< a person's `task list` at the same time
  double scrapes_per_second = 0;  ///< of the metrics at the same time, by Prometheus
  std::int64_t keep_at_most = -1; ///< of the tasks that have ended; -1: all
  std::uint32_t partitions = 1;   ///< of the store
  std::uint32_t in_flight_max = part_setup{}.in_flight_max; ///< tasks that the scheduler has in flight
  std::uint32_t there_before = 0; ///< tasks in the store before it begins; REQUIRES: a closed loop of as many or more
};

/// Carries it out with a new store in `folder`. Throws failure.
nlohmann::json measure(const scenario& s, const std::filesystem::path& folder);

/// Carries them out at the same time, so that other load of this machine affects all of them: to compare their cost,
/// not their speed.
std::vector<nlohmann::json> measure_together(const std::vector<scenario>& all, const std::filesystem::path& folder);

/// For people: what it measured, in a few lines.
std::string text_of(const nlohmann::json& measured);

} // namespace steadfast::bench
