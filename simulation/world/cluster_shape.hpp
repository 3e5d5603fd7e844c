#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/retention.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <vector>

namespace steadfast::simulation {

/// The make-up of a simulated cluster.
struct cluster_shape {
  std::uint32_t nodes = 3;      ///< the first has the store
  bool store_moves = false;     ///< and others may have it next, as they may one on PostgreSQL
  std::uint32_t partitions = 1; ///< of the store; several: it moves, and nodes share them
  std::uint32_t in_flight_max = 100;
  std::uint32_t agent_concurrency = 64;
  std::uint32_t agent_queue = 1024;
  std::uint32_t agent_homes_permille = 1000; ///< share of nodes that have an agent, besides one that has it in any case
  std::uint32_t review_max = 1000;           ///< tasks that a supervisor looks at, or frees, at a time
  workflow::lease_terms lease;
  std::uint64_t medium_seed = 0; ///< of the faults below the store
  bool with_people = false;      ///< what only people ask for: priorities, moments before which nothing may begin
  std::uint64_t people_seed = 0;
  bool with_only_one = false;   ///< an actor that has one instance in the cluster
  workflow::retention keep;     ///< of tasks that ended well
  workflow::span call_limit{0}; ///< of every agent; 0: only complete-by ends a call
  std::vector<workflow::definition> workflows;
};

} // namespace steadfast::simulation
