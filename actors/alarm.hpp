#pragma once

#include "actors/messages.hpp"

#include <algorithm>
#include <set>

namespace steadfast::actors {

/// The delayed messages of an actor that has many deadlines: one on its way for the earliest, none for a moment that one
/// is already on its way for. CAF cannot cancel them, so they are remembered; else an actor that is often woken ahead of
/// a distant deadline would leave a further message behind for it each time.
class alarm {
public:
  /// CAF's clock counts in nanoseconds, of which 64 bits hold 292 years; who waits longer is woken and waits again.
  static constexpr workflow::span longest_wait = std::chrono::hours{24 * 365};

  /// Sees to it that `self` gets a tick_timer at `at` or before.
  template <class Handle, class Self, class Clock>
  void set(Self* self, Clock& clock, workflow::instant at) {
    if (at == workflow::never || (!on_their_way_.empty() && *on_their_way_.begin() <= at))
      return;
    const auto now = clock.now(self);
    at = std::min(at, now + longest_wait);
    on_their_way_.insert(at);
    tell_after(self, Handle{self}, at > now ? at - now : workflow::span{0}, tick_timer{generation_of(at)});
  }

  /// Takes note of a tick. False: it is not one of this alarm.
  bool rings(const tick_timer& m) {
    return on_their_way_.erase(workflow::instant{workflow::span{static_cast<workflow::span::rep>(m.generation)}}) > 0;
  }

private:
  static std::uint64_t generation_of(workflow::instant at) {
    return static_cast<std::uint64_t>(at.time_since_epoch().count());
  }

  std::set<workflow::instant> on_their_way_;
};

} // namespace steadfast::actors
