#pragma once

#include "actors/agents/agent_function.hpp"
#include "actors/agents/agent_options.hpp"
#include "actors/supervising/singleton.hpp"
#include "runtime/assembly/assembly.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/node_store.hpp"
#include "store/contract/local_store.hpp"

#include <functional>
#include <memory>
#include <string>

namespace steadfast {

/// The inside of a node: agents that are functions, its actors, its store. For the public interface, for benchmarks and
/// for tests. The node must outlive it.
class node_inside {
public:
  explicit node_inside(const assembled_node& n);

  // REQUIRES: not started.

  /// `name` is the one that workflows use.
  void add_agent(const std::string& name, actors::agent_function run, actors::agent_options options = {}) const;
  /// Of all nodes that call this with `name`, one at a time has the actor that `make` makes: the one that holds the
  /// lease `name`. The actor must handle lease_changed; if it does not for longer than the lease lasts, another node
  /// takes over.
  void with_lease(const std::string& name, actors::make_singleton make) const;
  /// Uses what `wrap` makes of the opened store, or of each of its partitions, instead of it: to measure, or to watch.
  void wrap_store(store_wrapper wrap) const;

  // REQUIRES: started.

  caf::actor_system& system() const;
  const node_parts& parts() const;

private:
  assembled_node::implementation* impl_;
};

} // namespace steadfast
