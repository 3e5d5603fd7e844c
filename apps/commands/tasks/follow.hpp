#pragma once

#include "steadfast/client.hpp"

#include <string>

namespace CLI {
class App;
}

namespace steadfast::apps {

/// How long to look at a task, and how to print it.
struct follow_choice {
  std::string limit; ///< --limit; empty: until it has ended
  bool json = false; ///< the task as it ended, no progress
};

/// Adds --limit.
void add_follow_choice(CLI::App& to, follow_choice& choice);

/// Throws failure when the limit is no duration.
void check(const follow_choice& choice);

/// Shows what happens to a task until it has ended. The exit code says how it did. Throws failure when the limit passed
/// or Ctrl-C was pressed; the task goes on.
int follow(client& node, const std::string& id, const follow_choice& choice);

} // namespace steadfast::apps
