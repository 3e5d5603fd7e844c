#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// What a node does in its cluster.
struct node_roles {
  bool store = true;      ///< has the state store; exactly one node of a cluster
  bool scheduler = true;  ///< takes tasks and runs them
  bool supervisor = true; ///< tries to get the supervisor's lease
  bool agents = true;     ///< carries out steps with the agents of its configuration

  friend bool operator==(const node_roles&, const node_roles&) = default;
};

/// "store,scheduler"
std::string to_string(const node_roles& r);
/// From a list of names; nothing if one of them is no role.
std::optional<node_roles> parse_roles(const std::vector<std::string>& names);

/// What a node tells the others about itself: the note of the lease that it holds while it lives.
struct node_card {
  std::string name;
  std::string address; ///< host:port where other nodes reach it; empty: they cannot
  node_roles roles;
  std::vector<std::string> agents;
  bool drained = false;               ///< it takes no more work, and is meant to be stopped
  instant certificate_until{};        ///< when its certificate ends; unset: it has none
  knowledge knows = newest_knowledge; ///< workflows that need more cannot be read by this node

  friend bool operator==(const node_card&, const node_card&) = default;
};

/// Bytes that the note of a lease may have, and how many of them may be names of a node's agents, with their commas.
inline constexpr std::size_t lease_note_max = 65'536;
inline constexpr std::size_t agent_names_max = 64'000;

/// The holder of this lease runs the supervisor. In a store of several partitions each partition has such a lease,
/// named "supervisor.partition-0" and so on.
inline constexpr std::string_view supervisor_lease_name = "supervisor";
std::string supervisor_lease_of(std::size_t partition);
/// The partition of a lease with such a name.
std::optional<std::uint32_t> partition_of_supervisor_lease(std::string_view lease);
bool is_supervisor_lease(std::string_view lease);

/// The lease of a node: "node/<name>".
std::string node_lease_name(std::string_view node);
/// The node whose lease it is; nothing if it is not the lease of a node.
std::optional<std::string> node_of_lease(std::string_view lease);

/// "address=10.0.0.1:7801 roles=scheduler,agents agents=drone,label", then "knows=waits knows=events
/// knows=schedules drained=yes certificate_until=2027-01-01T00:00:00.000Z"
std::string note_of(const node_card& card);
/// Nothing if the lease is no node's, or the note is no card. Agents with names that no workflow can use are left out.
std::optional<node_card> card_of(std::string_view lease, std::string_view note);

/// The node whose lease it is, if its release does not support what is needed.
std::optional<std::string> older_node(std::string_view lease, std::string_view note, knowledge needed);
/// "node `n2` runs a release that does not support schedules: upgrade all nodes first"
std::string upgrade_first(std::string_view node, std::string_view what);

} // namespace steadfast::workflow
