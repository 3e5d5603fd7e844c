#pragma once

#include "actors/agents/agents.hpp"
#include "runtime/assembly/assembly.hpp"
#include "runtime/configuration/node_options.hpp"
#include "steadfast/node_error.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast {

/// One node: what its roles say of store, scheduler, supervisor and agents, and a control channel, in this process.
/// Embed it to run workflows with agents that are C++ functions:
///
///     steadfast::assembled_node n{options};
///     n.add_agent("greeter", actors::quick_function{[](const actors::call& c) { return actors::succeeded(c.input); }});
///     n.start();
class assembled_node {
public:
  explicit assembled_node(node_options options);
  /// Stops, if it runs.
  ~assembled_node();
  assembled_node(const assembled_node&) = delete;
  assembled_node& operator=(const assembled_node&) = delete;

  /// REQUIRES: not started. The name is the one that workflows use.
  void add_agent(const std::string& name, actors::agent_function run, actors::agent_options options = {});
  void add_workflow(workflow::definition d);
  /// Of all nodes that were given this name, one at a time has the actor that `make` makes: the one that holds the
  /// lease `name`. The actor must take lease_changed; the others take over when it does not for longer than the lease
  /// lasts.
  void with_lease(const std::string& name, actors::make_singleton make);

  /// What `wrap` makes of the store that was opened is used in its place: to measure, or to look on.
  void wrap_store(std::function<std::shared_ptr<store::local_store>(std::shared_ptr<store::local_store>)> wrap);

  /// Called when the store fails for good, instead of ending the process with exit code 74.
  void on_fatal(std::function<void(const std::string& why)> handler);

  /// Opens the store and starts every part. Throws node_error.
  void start();

  /// Takes nothing new, lets attempts under way finish up to the drain limit, gives the rest back, releases the leases,
  /// closes. What other nodes have not taken 2 s later, since they are frozen or out of reach, is lost: their
  /// connections are broken off. Waits for every actor of the system: yours must be told to quit, and a
  /// caf::scoped_actor be out of scope. Then for blocking functions that are under way, for the limit or, without one,
  /// until the complete-by of their calls. Whose functions run on even then is returned, and said in the log; nothing
  /// of the node is theirs, and what they answer goes nowhere.
  std::vector<std::string> stop(std::optional<workflow::span> function_limit = std::nullopt);

  /// What stop() waits for at this moment, in words; empty when it does not run. From any thread.
  std::string_view stop_waits_for() const;

  /// Makes connections to other nodes from now on with what is in the files of [cluster] now; those that are open stay.
  /// Files that cannot be used change nothing, and the log says why. REQUIRES: started.
  void reload_certificates();

  /// REQUIRES: started.
  caf::actor_system& system();
  const actors::gateway_actor& gateway() const;
  const node_parts& parts() const;

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
