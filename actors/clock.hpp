#pragma once

#include "workflow/time.hpp"

#include <caf/actor_clock.hpp>

namespace steadfast::actors {

/// The node's time: the wall clock read once at start, counted on from there by CAF's steady clock. It never jumps while
/// the process runs, and a simulation moves it by moving CAF's clock.
struct node_clock {
  workflow::instant wall_at_start;
  caf::actor_clock::time_point steady_at_start;

  template <class Self>
  workflow::instant now(const Self* self) const {
    const auto passed = const_cast<Self*>(self)->clock().now() - steady_at_start;
    return wall_at_start + std::chrono::duration_cast<workflow::span>(passed);
  }
};

} // namespace steadfast::actors
