#pragma once

#include "runtime/configuration/node_options.hpp"
#include "steadfast/node_error.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast {

/// One node: what its roles say of store, scheduler, supervisor and agents, and a control channel, in this process.
/// Agents that are C++ functions are added from inside (node_inside.hpp); users have `steadfast::node`.
class assembled_node {
public:
  explicit assembled_node(node_options options);
  /// Stops, if it runs.
  ~assembled_node();
  assembled_node(const assembled_node&) = delete;
  assembled_node& operator=(const assembled_node&) = delete;

  /// REQUIRES: not started.
  void add_workflow(workflow::definition d);

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

private:
  friend class node_inside; ///< its actors, for whoever takes part in it
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
