#pragma once

#include "workflow/task/clock_reading.hpp"
#include "workflow/time/clock_offset.hpp"
#include "workflow/time/time.hpp"

#include <caf/actor_clock.hpp>

#include <algorithm>
#include <memory>
#include <mutex>

namespace steadfast::actors {

/// How far the clock of the store's node is ahead of this node's own clock, and which clock that is.
struct clock_lead {
  workflow::clock_offset ahead{};
  workflow::instant set_at{}; ///< which clock; unset: it is not known yet
  bool is_own = false;        ///< this node has the store now
};

/// Set by one actor, used by all actors of a node.
class shared_lead {
public:
  clock_lead get() const {
    const std::lock_guard lock{mutex_};
    return lead_;
  }
  void set(const clock_lead& lead) {
    const std::lock_guard lock{mutex_};
    if (!lead_.is_own)
      lead_ = lead;
  }
  /// From now on the node has the store itself and uses its own clock, set then; what is set later is ignored.
  void end(workflow::instant own_set_at) {
    const std::lock_guard lock{mutex_};
    lead_ = {{}, own_set_at, true};
  }
  /// From now on another node has the store: its clock is not known yet.
  void begin() {
    const std::lock_guard lock{mutex_};
    lead_ = {};
  }

private:
  mutable std::mutex mutex_;
  clock_lead lead_;
};

/// Shows the time since the machine's boot, including the time that it slept.
using boot_time = caf::actor_clock::time_point (*)();

/// The node's time: the wall clock as it was read once when this was set, plus the time counted since by a clock that
/// never jumps, and that a simulation moves. CAF's own clock stands still while the machine sleeps. On a node without a
/// store the time follows the clock of the node with the store, so that one clock decides every complete-by of a
/// cluster. As far as is known it is not ahead of that clock, so nobody decides too early that a time is over.
struct node_clock {
  workflow::instant set_at; ///< also identifies the clock
  caf::actor_clock::time_point steady_at_set;
  std::shared_ptr<const shared_lead> lead{}; ///< null: this is the clock that the others follow
  boot_time since_boot = nullptr;            ///< null: counted by CAF's clock, as in a simulation

  template <class Self>
  workflow::clock_reading reading(const Self* self) const {
    if (!lead)
      return {own_time(self), set_at};
    const auto l = lead->get();
    return {own_time(self) + l.ahead.at_least, l.set_at};
  }

  template <class Self>
  workflow::instant now(const Self* self) const {
    return reading(self).now;
  }

  /// What identifies the clock that it follows; unset: not known yet.
  workflow::instant followed() const { return lead ? lead->get().set_at : set_at; }

  /// The time since set_at, whatever other clocks show.
  template <class Self>
  workflow::instant own_time(const Self* self) const {
    const auto shown = since_boot != nullptr ? since_boot() : const_cast<Self*>(self)->clock().now();
    return set_at + std::chrono::duration_cast<workflow::span>(shown - steady_at_set);
  }

  /// The longest delay of a message: by this clock, a delayed message comes late if the machine sleeps meanwhile.
  workflow::span longest_wait() const {
    const bool may_sleep = since_boot != nullptr;
    return may_sleep ? std::chrono::seconds{1} : std::chrono::hours{24 * 365};
  }

  /// Without the lead, for what must not depend on another clock.
  node_clock own() const { return {set_at, steady_at_set, {}, since_boot}; }
};

/// For an actor that must fall silent in time: as far as is known it is not behind the clock that the node follows, and
/// it does not jump when another clock takes the place of that one.
class even_clock {
public:
  explicit even_clock(const node_clock& c) : clock_{c}, seen_{seen_at(c.set_at)} {}

  template <class Self>
  workflow::instant now(const Self* self) {
    return at_own(own_time(self), gained_);
  }
  /// The same for `own`, a time of the node's own clock. If another clock takes over, it gains at least `gained`.
  workflow::instant at_own(workflow::instant own, workflow::span gained) {
    const auto is = seen_at(own);
    if (is.set_at == seen_.set_at)
      gained_ += is.ahead - seen_.ahead;
    else
      gained_ = std::max(gained_, gained);
    seen_ = is;
    return own + gained_;
  }
  /// How far it is ahead of the node's own clock.
  workflow::span gained() const { return gained_; }

  /// What this clock shows when the followed clock shows `theirs`. REQUIRES: now() was called just before.
  workflow::instant at(workflow::instant theirs) const { return theirs - seen_.ahead + gained_; }

  /// Whether the followed clock is the one that was set at `set_at`. REQUIRES: now() was called just before.
  bool follows(workflow::instant set_at) const { return set_at != workflow::unset && set_at == seen_.set_at; }

  template <class Self>
  workflow::instant own_time(const Self* self) const {
    return clock_.own_time(self);
  }
  workflow::span longest_wait() const { return clock_.longest_wait(); }

private:
  /// What was last seen of the followed clock.
  struct followed {
    workflow::span ahead{0}; ///< at most
    workflow::instant set_at;
  };

  followed seen_at(workflow::instant own) const {
    if (!clock_.lead)
      return {{}, clock_.set_at};
    const auto l = clock_.lead->get();
    if (l.is_own)
      return {{}, l.set_at};
    const auto ahead = workflow::later(l.ahead, own);
    return {ahead.at_most, l.set_at};
  }

  node_clock clock_;
  followed seen_;
  workflow::span gained_{0};
};

} // namespace steadfast::actors
