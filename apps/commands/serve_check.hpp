#pragma once

#include "runtime/configuration/node_options.hpp"

#include <string>
#include <vector>

namespace steadfast::apps {

/// What `serve --check` finds beyond mistakes in the configuration itself, a sentence each.
struct config_findings {
  std::vector<std::string> problems; ///< the node would start, and not do what its files say
  std::vector<std::string> warnings; ///< nobody here can tell
};

/// Whether there is an agent for all that the workflows name, and whether they are what is stored under their versions:
/// by the files of the store, which a running node may have open, or where the node has no store by asking the node
/// itself.
config_findings look_closer(const node_options& o);

} // namespace steadfast::apps
