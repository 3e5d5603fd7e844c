#pragma once

#include "apps/bench/measurements.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace steadfast::bench {

/// Something the project promises itself.
struct target {
  std::string what;
  std::string unit;
  double wanted = 0;
  bool at_least = true; ///< else at most
  std::function<double(const nlohmann::json& measured)> figure;
};

/// Targets that one measurement answers; of several runs the median counts.
struct target_group {
  measurement what;
  std::size_t runs = 1;
  std::vector<target> targets;
};

struct target_result {
  std::string what;
  std::string unit;
  double wanted = 0;
  bool at_least = true;
  std::vector<double> runs; ///< ascending

  double measured() const { return runs[runs.size() / 2]; }
  bool is_met() const { return at_least ? measured() >= wanted : measured() <= wanted; }
  std::string wanted_text() const;
  std::string measured_text() const; ///< with the lowest and the highest run
};

/// All, or those whose measurement has the chosen text in its name. Chosen seconds are those of the long load.
std::vector<target_group> target_groups(const choice& c);
/// REQUIRES: at least one run.
target_result judge(const target& t, const std::vector<nlohmann::json>& runs);
nlohmann::json json_of(const std::vector<target_result>& results);

} // namespace steadfast::bench
