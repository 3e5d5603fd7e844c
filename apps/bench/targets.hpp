#pragma once

#include "apps/bench/figures/yardstick.hpp"
#include "apps/bench/measurements.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::bench {

/// Something the project promises itself.
struct target {
  std::string what;
  std::string unit;
  double wanted = 0;
  bool at_least = true; ///< false: at most
  std::function<double(const nlohmann::json& measured)> figure;
  /// Share of its time on the disk where it was set (yardstick.hpp); none: it does not depend on the machine's speed.
  std::optional<double> disk_share{};
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
  bool is_of_speed = false;   ///< converted to the machine on which the target was set
  std::vector<double> runs;   ///< ascending
  std::vector<double> scaled; ///< likewise, by the machine's speed around each run

  double measured() const { return runs[runs.size() / 2]; }
  double counted() const { return scaled[scaled.size() / 2]; }
  bool is_met() const { return at_least ? counted() >= wanted : counted() <= wanted; }
  std::string wanted_text() const;
  std::string measured_text() const; ///< with the lowest and the highest run
  std::string counted_text() const;  ///< empty if it does not depend on the machine's speed
};

/// All, or those whose measurement has the chosen text in its name. Chosen seconds apply to the long load.
std::vector<target_group> target_groups(const choice& c);
/// A run and the machine's speed around it.
struct target_run {
  nlohmann::json measured;
  yardstick machine;
};
/// REQUIRES: at least one run.
target_result result_of(const target& t, const std::vector<target_run>& runs);
nlohmann::json json_of(const std::vector<target_result>& results);

} // namespace steadfast::bench
