#pragma once

#include "simulation/run/run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace steadfast::apps {

/// A requirement on simulated clusters, such as "processed>=95%" or "p99<=30s".
struct requirement {
  enum class unit { tasks, share, time };
  std::string text;   ///< as it was written
  std::string figure; ///< processed, undone, error, residue, doubled, missing, p50, p99 or longest
  std::string is;     ///< >=, <=, =, > or <
  double bound = 0;   ///< tasks, percent or milliseconds
  unit in = unit::tasks;
};

/// Reads requirements that are joined by commas. Throws failure, which lists what is possible.
std::vector<requirement> requirements_of(std::string_view text);

struct requirement_result {
  std::string text;    ///< of the requirement
  std::string is;      ///< the result, for people: "94.1 %"
  double measured = 0; ///< in the unit of the requirement
  bool is_met = false;
};
requirement_result result_of(const requirement& r, const simulation::run_result& all);

} // namespace steadfast::apps
