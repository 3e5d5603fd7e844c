#pragma once

#include "actors/protocol/messages.hpp"

#include <algorithm>
#include <set>

namespace steadfast::actors {

/// The delayed messages of an actor with many deadlines: one for the earliest, and no second one for a moment that has
/// one already. CAF cannot cancel them, so they are remembered; otherwise an actor that is often woken before a distant
/// deadline would send one more message for it each time. A wait is counted by the node's own clock, which may go on
/// while CAF's clock stands still, so one wait may take several messages (node_clock::longest_wait).
class deadline_timer {
public:
  /// Makes sure that `self` gets a tick_timer for which fires() is true, at `at` or earlier.
  template <class Handle, class Self, class Clock>
  void set(Self* self, Clock& clock, workflow::instant at) {
    if (at == workflow::never)
      return;
    const auto own_now = clock.own_time(self);
    const auto left = std::clamp(at - clock.now(self), workflow::span{0}, wait_max);
    if (!wanted_.empty() && *wanted_.begin() <= own_now + left)
      return;
    wanted_.insert(own_now + left);
    wake<Handle>(self, clock, own_now);
  }

  /// Notes a tick. False: it is not one of this timer, or its time has not come yet.
  template <class Handle, class Self, class Clock>
  bool fires(Self* self, Clock& clock, const tick_timer& m) {
    if (on_their_way_.erase(workflow::instant{workflow::span{static_cast<workflow::span::rep>(m.generation)}}) == 0)
      return false;
    const auto own_now = clock.own_time(self);
    const auto come = wanted_.upper_bound(own_now);
    const bool has_come = come != wanted_.begin();
    wanted_.erase(wanted_.begin(), come);
    if (!wanted_.empty())
      wake<Handle>(self, clock, own_now);
    return has_come;
  }

private:
  /// CAF's clock counts nanoseconds, and 64 bits hold 292 years of them; a longer wait takes several messages.
  static constexpr workflow::span wait_max = std::chrono::hours{24 * 365};

  /// REQUIRES: something is wanted.
  template <class Handle, class Self, class Clock>
  void wake(Self* self, const Clock& clock, workflow::instant own_now) {
    const auto at = std::max(own_now, std::min(*wanted_.begin(), own_now + clock.longest_wait()));
    if (!on_their_way_.empty() && *on_their_way_.begin() <= at)
      return;
    on_their_way_.insert(at);
    tell_after(self, Handle{self}, at - own_now, tick_timer{static_cast<std::uint64_t>(at.time_since_epoch().count())});
  }

  // By the node's own clock
  std::set<workflow::instant> wanted_;
  std::set<workflow::instant> on_their_way_;
};

} // namespace steadfast::actors
