#pragma once

#include "workflow/time/time.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace steadfast::runtime {

/// What `incident.list`, `node.list` and `task.stuck` answered; null: it was not asked.
struct health {
  nlohmann::json incidents = nlohmann::json::array(); ///< open ones
  bool more_incidents = false;                        ///< than these
  nlohmann::json nodes = nlohmann::json::array();
  nlohmann::json store_trouble; ///< why the store takes no writes, or cannot be asked; null: nothing is wrong
  nlohmann::json stuck_report;  ///< what tasks wait for, and which are stuck
};

/// Nobody has to do anything: only muted incidents, no lost node, a node that takes tasks, no stuck task, a store
/// that takes writes.
bool is_well(const health& h, workflow::instant now);

/// One sentence: what is wrong, since when, for how many tasks; and the oldest wait. Moments in it are in UTC.
std::string health_sentence(const health& h, workflow::instant now);

/// Open ones that are not muted come first, those with the most tasks before the others.
void sort_incidents(nlohmann::json& incidents, workflow::instant now);

bool is_muted(const nlohmann::json& incident, workflow::instant now);

} // namespace steadfast::runtime
