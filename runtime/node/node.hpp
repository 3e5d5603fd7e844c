#pragma once

#include "runtime/configuration/node_options.hpp"
#include "steadfast/node_error.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast {

/// One node in this process: store, scheduler, supervisor and agents as its roles say, and a control channel. Agents
/// that are C++ functions are added from inside (node_inside.hpp); users have `steadfast::node`.
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

  /// How start() waits while the store on a server cannot be had; by default for as long as it takes.
  void wait_for_turn(store::wait_for_turn wait);

  /// Opens the store and starts every part. Throws node_error. False: it waited for its turn, and gave up. A node of a
  /// cluster does not wait while another node has the store: it uses that one's, and takes its place when it can.
  bool start();

  /// Who had the store on a server, or a part of it, when the node started, if it was another node; else empty.
  /// REQUIRES: started.
  std::string holder_of_store() const;

  /// Takes nothing new, lets attempts under way finish up to the drain limit, gives the rest back, releases the leases,
  /// closes. What other nodes have not received 2 s later, because they are frozen or out of reach, is lost: their
  /// connections are broken off. Waits for every actor of the system: tell yours to quit, and let no caf::scoped_actor
  /// live on. Then it waits for blocking functions under way, for the limit or, without one, until the complete-by of
  /// their calls. Returns, and logs, the agents whose functions still run; these use nothing of the node, and their
  /// answers are ignored.
  std::vector<std::string> stop(std::optional<workflow::span> function_limit = std::nullopt);

  /// What stop() waits for at this moment, in words; empty when it does not run. From any thread.
  std::string_view stop_waits_for() const;

  /// From now on new connections use the present files of [cluster] and [http]; open ones stay. Files that cannot be
  /// used change nothing, and the log says why. REQUIRES: started.
  void reload_certificates();

private:
  friend class node_inside; ///< its actors, for code that takes part in it
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
