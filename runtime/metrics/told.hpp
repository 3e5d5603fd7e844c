#pragma once

#include "actors/protocol/messages.hpp"
#include "runtime/metrics/page.hpp"
#include "store/contract/local_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace steadfast {

struct node_parts;

/// What the parts of a node told of themselves; nothing: they did not in time.
struct told_by_parts {
  bool has_store = false; ///< this node has the store; else nobody was asked for stats, leases and incidents
  std::optional<actors::boxed<store::store_stats>> stats;
  std::vector<actors::boxed<store::store_stats>> of_partitions; ///< of a store that has several
  /// Of the partitions that this node has, which alone tell their unfinished tasks. Empty: it has none, or one of them
  /// did not answer.
  std::vector<actors::boxed<store::store_stats>> of_own;
  std::optional<actors::lease_page> leases;
  std::optional<actors::boxed<store::incident_page>> incidents;
  std::optional<actors::actor_page> actors;
};

/// Of the store as a whole, and of the cluster as the store knows it: store_metrics.cpp
void write_store_metrics(page_writer& page, const told_by_parts& told);
/// Of the node's actors: actor_metrics.cpp
void write_actor_metrics(page_writer& page, const told_by_parts& told);
/// What its actors have counted, whether they answer or not: counted_metrics.cpp
void write_counted_metrics(page_writer& page, const node_parts& parts);
/// Of its process: process_metrics.cpp
void write_process_metrics(page_writer& page, const std::string& node);

} // namespace steadfast
