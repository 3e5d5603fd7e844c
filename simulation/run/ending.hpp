#pragma once

#include "simulation/run/cluster.hpp"
#include "simulation/run/run.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// Checks the finished tasks of a run, at its end or when they leave the store, and counts how they ended.
class ending {
public:
  ending(const run_options& options, world& w, services& remote, cluster& c, run_result& result);

  void on_stored(const std::string& id) { stored_at_[id] = world_.now(); }
  void on_ended(const std::string& id) { ended_at_[id] = world_.now(); }

  /// A task that stays in the store.
  void check_end_of(const workflow::task& t, const workflow::definition& d, bool has_alert);
  /// A task that has left the store. Its services forget its keys, so that its id can be used again.
  void check_purged(const workflow::task& t, const workflow::definition& d);
  /// Of all submitted tasks, for a checker. REQUIRES: the store is open.
  void keep_evidence(const std::set<std::uint64_t>& alerted);

private:
  void expect(bool holds, const std::string& sentence);
  void count_causes(const workflow::task& t, const workflow::definition& d);
  std::uint32_t check_step(const workflow::task& t, const workflow::definition& d, std::size_t i);

  const run_options& options_;
  world& world_;
  services& services_;
  cluster& cluster_;
  run_result& result_;
  std::set<std::pair<std::string, std::string>> not_trusted_; ///< workflow and step
  std::map<std::string, moment> stored_at_;                   ///< tasks, first
  std::map<std::string, moment> ended_at_;
  std::vector<stored_task> purged_;
  std::vector<effect_line> purged_effects_;
  std::vector<client_lines> purged_clients_;
};

/// Whether the services of the run break the contract for some step.
std::set<std::pair<std::string, std::string>> steps_not_to_trust(const run_options& o);

} // namespace steadfast::simulation
