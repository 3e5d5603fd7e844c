#pragma once

#include "apps/command_line/node_access.hpp"
#include "steadfast/client.hpp"

#include <chrono>
#include <string>

namespace CLI {
class App;
}

namespace steadfast::apps {

/// How long to look at a task, and how to print it.
struct follow_choice {
  std::string limit;                          ///< --limit; empty: until it has ended
  bool json = false;                          ///< only the ended task, no progress
  std::chrono::milliseconds asks_for{30'000}; ///< for how long a node that does not answer is asked again
};

/// Adds --limit.
void add_follow_choice(CLI::App& to, follow_choice& choice);

/// Throws failure if the limit is not a duration.
void check(const follow_choice& choice);

/// Shows what happens to a task until it has ended, also while the node is started anew: then it is connected to again,
/// as `where` says. The exit code says how it ended. Throws failure if the limit passed, no node answered for too long
/// or Ctrl-C was pressed; the task continues.
int follow(client node, const node_choice& where, const std::string& id, const follow_choice& choice);

} // namespace steadfast::apps
