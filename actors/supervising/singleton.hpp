#pragma once

#include "actors/protocol/protocols.hpp"
#include "workflow/time/time.hpp"

#include <functional>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// Makes an instance; called on the node that won the lease. The instance gets its epoch by lease_changed, now and at
/// each renewal. It should put the epoch into whatever it writes elsewhere: nothing else keeps out a former holder that
/// has not noticed its loss yet.
using make_singleton = std::function<guarded_actor(caf::actor_system&)>;

struct singleton_deps {
  make_singleton make;                                ///< if it throws, or makes none, the lease lapses
  workflow::span answer_limit{2000};                  ///< for the instance to handle lease_changed
  std::function<void(const std::string& line)> log{}; ///< gets the reason if none was made
};
guarded_actor spawn_singleton_guard(caf::actor_system& sys, singleton_deps deps, bool detached = false);

} // namespace steadfast::actors
