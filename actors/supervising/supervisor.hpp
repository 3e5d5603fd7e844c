#pragma once

#include "actors/common/clock.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/protocols.hpp"

#include <functional>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct supervisor_deps {
  store_actor store;
  reader_actor reader;
  node_clock clock;
  supervisor_options options;
  std::function<void(const std::string& event, const workflow::task&, const std::string& detail)> log;
  std::function<void(const std::string& line)> warn{}; ///< of conditions of the whole cluster; may be empty
};
supervisor_actor spawn_supervisor(caf::actor_system& sys, supervisor_deps deps);

} // namespace steadfast::actors
