#pragma once

#include "actors/agents/caller.hpp"
#include "actors/protocol/speak.hpp"

#include <tuple>
#include <utility>

namespace steadfast::actors {

/// A call's outcome on its way to its actor from the thread where it ended. Never leaves the process.
struct call_outcome_note {
  call_ticket ticket = 0;
  answer what;
};
STEADFAST_MESSAGE(call_outcome_note, x.ticket, x.what.kind, x.what.result, x.what.why, x.what.maybe_done,
                  x.what.retry_after, x.what.unsettled)

/// Sends it to `self`, which is held weakly: a call that never ends must not keep its actor.
template <class Handle, class Self>
call_over tells(Self* self) {
  return [to = caf::actor_cast<caf::weak_actor_ptr>(self)](call_ticket ticket, answer what) {
    if (const auto there = caf::actor_cast<caf::strong_actor_ptr>(to))
      tell_from_outside(caf::actor_cast<Handle>(there), call_outcome_note{ticket, std::move(what)});
  };
}

} // namespace steadfast::actors
