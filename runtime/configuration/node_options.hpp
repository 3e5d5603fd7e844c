#pragma once

#include "actors/agents/agent_options.hpp"
#include "runtime/configuration/cluster_options.hpp"
#include "runtime/configuration/http_server_options.hpp"
#include "runtime/configuration/schedule_file.hpp"
#include "runtime/configuration/tracing_options.hpp"
#include "runtime/configuration/webhook_options.hpp"
#include "runtime/text/secret.hpp"
#include "store/contract/options.hpp"
#include "store/partitions/postgres_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/supervision/conditions.hpp"
#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/retention.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace steadfast {

/// An agent that the configuration describes; function agents are added in C++.
struct agent_entry {
  actors::agent_options common;
  std::variant<actors::http_options, actors::program_options> kind;
  std::map<std::string, runtime::secret> secrets; ///< further headers or environment variables, never shown
};

/// Where the store is if it is on a PostgreSQL server.
struct store_server_options {
  std::string url; ///< empty: the store is in files
  std::string schema = "steadfast";
  runtime::secret password;
  workflow::span lease{5000}; ///< without a sign of life of the node that has it for so long, another takes over

  bool is_used() const { return !url.empty(); }
};

struct log_options {
  std::string level = "info"; ///< trace, debug, info, warning, error, off
  bool json = false;          ///< one JSON object per line instead of text
  std::filesystem::path file; ///< empty: standard error
  bool traces = false;        ///< lines about tasks have the ids of their traces
};

/// The configuration of one node.
struct node_options {
  std::string name = "node"; ///< unique in a cluster; part of `locked_by`
  /// Of the control channel; empty: none is opened. Only the owner can enter the store's directory.
  std::filesystem::path socket = "steadfast-store/control.sock";
  workflow::node_roles roles;
  cluster_options cluster;
  http_server_options http;
  store::store_options store;   ///< with the role `store`; on a server, `path` is where its memory is
  std::uint32_t partitions = 0; ///< of the store, when it is made; 0: one, or as many as it has.
                                ///< Of a node without the role `store`: those of the store that it uses
  store_server_options store_server;
  std::vector<agent_entry> agents;
  std::vector<webhook_entry> webhooks; ///< delivered by the node that has the store
  tracing_options tracing;
  std::vector<workflow::definition> workflows;
  /// Those of `workflows` that are in files, by name and version. A file that was changed without a new version raises
  /// an alert; a workflow that the program made and changed in this way keeps the node from starting.
  std::map<std::pair<std::string, std::uint32_t>, std::filesystem::path> workflow_files;

  std::vector<schedule_in_file> schedules; ///< put into the store at the start

  std::uint32_t in_flight_max = 1024;     ///< tasks one scheduler has in flight; the rest wait in the store
  std::uint64_t backlog_max = 100'000;    ///< when so many submissions wait for the disk, new ones are pushed back
  workflow::span supervisor_period{1000}; ///< between sweeps for what is overdue
  workflow::span supervisor_slack{5000};  ///< how late a scheduler may be before a task is taken from it
  workflow::lease_terms supervisor_lease; ///< who holds it runs the supervisor
  workflow::condition_rules conditions;   ///< when something is wrong with the cluster
  workflow::span conditions_period{5000}; ///< between looks for them
  workflow::retention_rules retention;    ///< when ended tasks leave the store; by default none does
  std::uint32_t bulk_rate = 1000;         ///< tasks that all bulk acts together may process in a second
  workflow::span drain_limit{10'000};     ///< at a graceful stop, for attempts under way
  std::uint32_t threads = 0;              ///< of the actor runtime; 0: one per core, at least 2
  log_options log;
};

/// Of a store on a server. REQUIRES: it is on one.
store::postgres_store_options postgres_options_of(const node_options& o, std::string holder);

/// Their mistakes, a sentence each; empty: a node can be made of them.
std::vector<std::string> problems(const node_options& o);
/// What does not fit a store of so many partitions: another number, and limits that are too small to be shared by them,
/// each of which needs some.
std::vector<std::string> partition_problems(const node_options& o, std::uint32_t partitions);
std::vector<std::string> problems(const agent_entry& a);

} // namespace steadfast
