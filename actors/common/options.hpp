#pragma once

#include "workflow/supervision/conditions.hpp"
#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/retention.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

// The options of a node's own actors. Agents: see agent_options.hpp.

namespace steadfast::actors {

struct scheduler_options {
  std::string name = "scheduler"; ///< as in `locked_by`; unique in the cluster
  std::uint32_t in_flight_max = 1024;
  std::uint32_t claim_max = 256; ///< tasks taken at a time
  workflow::span reader_limit{5000};
  workflow::span retry_full{1000}; ///< wait before writing again when the store is full
  workflow::span retry_clock{100}; ///< the same when another clock than the store's was used to decide
  workflow::span offered_wait{10}; ///< wait before claiming what another scheduler is offered first
  /// Of a hundred traces that begin with a task, how many are sampled; absent: agents are told no traces.
  std::optional<std::uint32_t> traced_percent{};
};

struct supervisor_options {
  workflow::span period{1000};          ///< between sweeps
  workflow::span survey_period{60'000}; ///< between looks at all locked tasks, for stuck ones
  workflow::span patience{60'000};      ///< past due, after which a task counts as stuck
  workflow::span slack{5000};           ///< how late a scheduler's wake-up may be before the task is taken from it
  std::uint32_t review_max = 1000;      ///< tasks looked at in one read
  workflow::span node_ttl = workflow::lease_terms{}.ttl; ///< of the nodes' own leases
  workflow::span reader_limit{5000};
  workflow::condition_rules conditions;
  workflow::span conditions_period{5000}; ///< between looks for conditions
};

struct janitor_options {
  workflow::retention_rules keep;
  std::uint32_t batch_max = 100;         ///< tasks in one write
  workflow::span period{1000};           ///< between looks at a workflow
  workflow::span recheck_period{60'000}; ///< between looks at tasks that could not leave, and for new workflows
  workflow::span reader_limit{5000};
};

struct bulk_options {
  std::uint32_t rate = 1000; ///< tasks that all bulk acts together may process in a second
  workflow::span reader_limit{5000};
  workflow::span act_limit{60'000}; ///< for the answer of one task
  workflow::span retry_after{1000}; ///< when the store could not be read or written
};

struct lease_options {
  std::string name = "supervisor";
  std::string holder; ///< this node and process
  std::string note;
  workflow::lease_terms terms;
};

} // namespace steadfast::actors
