#pragma once

#include "workflow/clock_reading.hpp"
#include "workflow/time.hpp"

#include <caf/actor_clock.hpp>

#include <memory>
#include <mutex>

namespace steadfast::actors {

/// How far the clock of the store's node is ahead of this node's own, and which clock that is.
struct clock_lead {
  workflow::span ahead{0};
  workflow::instant set_at; ///< unset: it was not learnt yet
};

/// Learnt by one actor, used by all of a node.
class shared_lead {
public:
  clock_lead get() const {
    const std::lock_guard lock{mutex_};
    return lead_;
  }
  void set(const clock_lead& lead) {
    const std::lock_guard lock{mutex_};
    lead_ = lead;
  }

private:
  mutable std::mutex mutex_;
  clock_lead lead_;
};

/// The node's time: the wall clock read once when it was set, counted on from there by CAF's steady clock. It never jumps
/// while the process runs, and a simulation moves it by moving CAF's clock. On a node without a store it follows the clock of
/// the node that has it, so that one clock judges every complete-by of a cluster.
struct node_clock {
  workflow::instant set_at; ///< names the clock, too
  caf::actor_clock::time_point steady_at_set;
  std::shared_ptr<const shared_lead> lead{}; ///< none: this is the clock that the others follow

  template <class Self>
  workflow::clock_reading reading(const Self* self) const {
    if (!lead)
      return {own_time(self), set_at};
    const auto l = lead->get();
    return {own_time(self) + l.ahead, l.set_at};
  }

  template <class Self>
  workflow::instant now(const Self* self) const {
    return reading(self).now;
  }

  /// It only counts, whatever other clocks show.
  template <class Self>
  workflow::instant own_time(const Self* self) const {
    const auto passed = const_cast<Self*>(self)->clock().now() - steady_at_set;
    return set_at + std::chrono::duration_cast<workflow::span>(passed);
  }

  /// Without the lead, for what must not depend on any other clock.
  node_clock own() const { return {set_at, steady_at_set, {}}; }
};

/// For who has to be silent in time: goes at the pace of the clock that the node follows, and does not jump when another takes
/// its place.
class even_clock {
public:
  explicit even_clock(const node_clock& c) : clock_{c}, seen_{lead()} {}

  template <class Self>
  workflow::instant now(const Self* self) {
    const auto l = lead();
    if (l.set_at == seen_.set_at)
      gained_ += l.ahead - seen_.ahead;
    seen_ = l;
    return clock_.own_time(self) + gained_;
  }

  /// What this clock shows at that moment of the clock that is followed. REQUIRES: now() was called just before.
  workflow::instant at(workflow::instant theirs) const { return theirs - seen_.ahead + gained_; }

  /// Whether it is that clock which is followed. REQUIRES: now() was called just before.
  bool follows(workflow::instant set_at) const { return set_at != workflow::unset && set_at == seen_.set_at; }

private:
  clock_lead lead() const { return clock_.lead ? clock_.lead->get() : clock_lead{{}, clock_.set_at}; }

  node_clock clock_;
  clock_lead seen_;
  workflow::span gained_{0};
};

} // namespace steadfast::actors
