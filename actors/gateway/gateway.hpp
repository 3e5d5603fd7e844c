#pragma once

#include "actors/common/partition_clocks.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/time/time.hpp"

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct gateway_deps {
  store_actor store;
  reader_actor reader;
  notifier_actor notifier;
  partition_clocks clocks;
  workflow::span reader_limit{5000};
};
gateway_actor spawn_gateway(caf::actor_system& sys, gateway_deps deps);

} // namespace steadfast::actors
