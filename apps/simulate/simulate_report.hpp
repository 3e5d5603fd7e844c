#pragma once

#include "apps/simulate/simulate_requirements.hpp"
#include "apps/terminal/terminal.hpp"
#include "simulation/run/batch.hpp"
#include "workflow/definition/definition.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace steadfast::apps {

/// The results of simulated clusters.
struct simulated {
  std::vector<workflow::definition> workflows;
  std::uint64_t first_seed = 0;
  std::uint64_t runs_wanted = 0;
  unsigned jobs = 1;
  double seconds = 0;
  simulation::batch_result played;
  std::vector<std::string> warnings;        ///< of what cannot work with these services
  std::vector<requirement_result> required; ///< in the order of `--require`
  std::vector<std::string> not_trusted;     ///< steps whose services break the contract: "step `a` of order"
};

/// For people; with `all_stories` one task for each reason to call a person, otherwise one for the most frequent.
std::string simulated_text(const simulated& s, bool all_stories, const terminal& to);

nlohmann::json simulated_json(const simulated& s);

} // namespace steadfast::apps
