#pragma once

#include "actors/clock.hpp"
#include "actors/messages.hpp"

#include <utility>

namespace steadfast::actors {

/// The one delayed message of an actor: armed for the earliest moment asked for. A message of an earlier arming is
/// recognised by its generation and does no harm.
class alarm {
public:
  /// Sends `self` a tick_timer at `at`, unless one is on its way that comes no later.
  template <class Handle, class Self>
  void set(Self* self, const node_clock& clock, workflow::instant at) {
    if (at == workflow::never || at >= armed_for_)
      return;
    armed_for_ = at;
    const auto now = clock.now(self);
    tell_after(self, Handle{self}, at > now ? at - now : workflow::span{0}, tick_timer{++generation_});
  }

  /// Whether this tick is the one that was armed last; afterwards none is.
  bool rings(const tick_timer& m) {
    if (m.generation != generation_)
      return false;
    armed_for_ = workflow::never;
    return true;
  }

private:
  workflow::instant armed_for_ = workflow::never;
  std::uint64_t generation_ = 0;
};

} // namespace steadfast::actors
