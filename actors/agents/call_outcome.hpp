#pragma once

#include "actors/agents/caller.hpp"
#include "actors/protocol/speak.hpp"

#include <tuple>
#include <utility>
#include <vector>

namespace steadfast::actors {

STEADFAST_MESSAGE(ended_call, x.ticket, x.what.kind, x.what.result, x.what.why, x.what.maybe_done, x.what.retry_after,
                  x.what.unsettled)

/// Calls that are over, on their way from the thread where they ended to their actor. Never leaves the process.
struct call_outcomes {
  std::vector<ended_call> all;
};
STEADFAST_MESSAGE(call_outcomes, x.all)

/// Sends them to `self`, which is held weakly: a call that never ends must not keep its actor.
template <class Handle, class Self>
call_over tells(Self* self) {
  return [to = caf::actor_cast<caf::weak_actor_ptr>(self)](std::vector<ended_call> all) {
    if (const auto there = caf::actor_cast<caf::strong_actor_ptr>(to))
      tell_from_outside(caf::actor_cast<Handle>(there), call_outcomes{std::move(all)});
  };
}

} // namespace steadfast::actors
