#pragma once

#include "simulation/world/chance.hpp"
#include "workflow/time/time.hpp"

#include <optional>
#include <set>
#include <string>

namespace steadfast::simulation {

/// A run during which the clocks of a zone are put forward or back.
struct summer_time {
  std::string zone;
  workflow::instant begins_at;         ///< true time at the beginning of the run
  std::string cron;                    ///< times in the hour that the clocks skip, or show twice
  std::set<workflow::instant> moments; ///< all that it has on that day: that of the change, or each time once
};

/// Some runs are such.
std::optional<summer_time> draw_summer_time(chance& luck);

} // namespace steadfast::simulation
