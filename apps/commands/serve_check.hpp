#pragma once

#include "runtime/configuration/node_options.hpp"

#include <string>
#include <vector>

namespace steadfast::apps {

/// What `serve --check` finds beyond mistakes in the configuration itself, a sentence each.
struct config_findings {
  std::vector<std::string> problems; ///< the node would start, but not do what its files say
  std::vector<std::string> warnings; ///< what nobody here can know
};

/// Checks that there is an agent for every name in the workflows, and that they match what is stored under their
/// versions: by the files of the store, which a running node may have open, or, if the node has no store, by asking it.
config_findings look_closer(const node_options& o);

} // namespace steadfast::apps
