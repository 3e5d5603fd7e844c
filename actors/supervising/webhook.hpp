#pragma once

#include "actors/agents/caller.hpp"
#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/outward/delivery_queue.hpp"
#include "workflow/time/time.hpp"

#include <functional>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct webhook_deps {
  workflow::subscription what;
  workflow::delivery_options delivery;
  workflow::span call_limit{15'000}; ///< if the receiver has not answered by then, it was not delivered
  make_caller make;
  store_actor store;
  reader_actor reader;
  node_clock clock;
  std::function<void(const std::string& line)> warn;
  workflow::span look_every{200};   ///< for notifications in the store, while tasks change or more are known to wait
  workflow::span look_rarely{2000}; ///< otherwise: also a commit that changed no task may have told of a condition
  workflow::span reader_limit{5000};
};

/// Runs where the store is. Each webhook has its own, so that a receiver that is away delays no other.
webhook_actor spawn_webhook(caf::actor_system& sys, webhook_deps deps);

} // namespace steadfast::actors
