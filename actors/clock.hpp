#pragma once

#include "workflow/time.hpp"

#include <caf/actor_clock.hpp>

#include <atomic>
#include <memory>

namespace steadfast::actors {

/// How far the clock of the store's node is ahead of this node's own, in milliseconds; learnt by one actor, used by all.
using clock_lead = std::atomic<workflow::span::rep>;

/// The node's time: the wall clock read once at start, counted on from there by CAF's steady clock. It never jumps while
/// the process runs, and a simulation moves it by moving CAF's clock. On a node without a store it follows the clock of
/// the node that has it, so that one clock judges every complete-by of a cluster.
struct node_clock {
  workflow::instant wall_at_start;
  caf::actor_clock::time_point steady_at_start;
  std::shared_ptr<const clock_lead> lead{}; ///< none: this is the clock that the others follow

  template <class Self>
  workflow::instant now(const Self* self) const {
    const auto passed = const_cast<Self*>(self)->clock().now() - steady_at_start;
    const auto own = wall_at_start + std::chrono::duration_cast<workflow::span>(passed);
    return lead ? own + workflow::span{lead->load()} : own;
  }

  /// Without the lead: it only counts, for what must not depend on any other clock.
  node_clock own() const { return {wall_at_start, steady_at_start, {}}; }
};

} // namespace steadfast::actors
