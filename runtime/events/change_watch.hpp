#pragma once

#include "actors/protocol/protocols.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::runtime {

/// Which tasks have changed since this was told last.
struct task_changes {
  std::vector<std::uint64_t> numbers; ///< ascending
  bool any = false;                   ///< any other may have changed too
  /// From here on all changes are told. False: the store cannot be asked, or an older node has it, which does not tell.
  bool is_complete = false;
};
using changes_listener = std::function<void(const task_changes&)>;

/// Hears from the store, on whatever node it is, which tasks change, and tells that at most ten times a second; what
/// follows on a quiet time at once. The listener is called on a thread of the actor system, one call at a time, until
/// the actor has ended. End it by exit_now().
caf::actor watch_changes(caf::actor_system& sys, const actors::store_actor& store, changes_listener told);

} // namespace steadfast::runtime
