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
  bool json = false; ///< only the ended task, no progress
};

/// Adds --limit.
void add_follow_choice(CLI::App& to, follow_choice& choice);

/// Throws failure if the limit is not a duration.
void check(const follow_choice& choice);

/// Shows what happens to a task until it has ended. The exit code says how it ended. Throws failure if the limit passed
/// or Ctrl-C was pressed; the task continues.
int follow(client& node, const std::string& id, const follow_choice& choice);

} // namespace steadfast::apps
