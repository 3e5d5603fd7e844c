#pragma once

#include "actors/common/clock.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/protocols.hpp"

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct janitor_deps {
  store_actor store;
  reader_actor reader;
  node_clock clock;
  janitor_options options;
};
janitor_actor spawn_janitor(caf::actor_system& sys, janitor_deps deps);

} // namespace steadfast::actors
