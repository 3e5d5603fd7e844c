#pragma once

#include "apps/bench/runs/scenario.hpp"

#include <functional>
#include <string>
#include <vector>

namespace steadfast::bench {

struct measurement {
  std::string name;
  std::function<nlohmann::json(const std::filesystem::path& folder)> run;
};

/// What a person asks for.
struct choice {
  std::vector<std::uint32_t> in_flight;
  std::vector<std::uint32_t> backlogs;
  std::vector<std::uint32_t> rates;
  std::vector<std::uint64_t> restarts;
  std::vector<std::uint32_t> overloads;
  std::int64_t keep_at_most = -1;                           ///< of the tasks that have ended; -1: all
  std::uint32_t partitions = 1;                             ///< of a store in files
  std::uint32_t in_flight_max = part_setup{}.in_flight_max; ///< tasks that the scheduler has in flight
  std::string server; ///< URL of PostgreSQL: loops are measured with a store in files, and then with one there
  double seconds = 0; ///< of each; 0: the usual time for its kind
  workload load;
  std::string client = "here";
  std::string agents = "here";
  bool certificates = false;
  std::string only; ///< part of a name; empty: all
};

/// With nothing chosen: a set of all kinds that takes less than two minutes.
std::vector<measurement> measurements_of(const choice& c);
measurement measurement_of(scenario s);
/// The same as a closed loop in which so many tasks wait in the store in addition to those in flight: whenever one
/// ends, one more is submitted. REQUIRES: the client is here.
scenario with_backlog(scenario s, std::uint32_t waiting);
std::string workload_text(const workload& w);

} // namespace steadfast::bench
