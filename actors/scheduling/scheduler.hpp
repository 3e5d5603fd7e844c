#pragma once

#include "actors/common/clock.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/protocols.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct scheduler_deps {
  store_actor store;
  reader_actor reader;
  std::vector<agent_offer> agents; ///< replaced by later offers
  node_clock clock;
  scheduler_options options;
  /// Writes a line of the log for each notable event; may be empty.
  std::function<void(const std::string& event, const workflow::task&, const std::string& detail)> log;
};
scheduler_actor spawn_scheduler(caf::actor_system& sys, scheduler_deps deps);

} // namespace steadfast::actors
