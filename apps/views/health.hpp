#pragma once

#include "apps/terminal/table.hpp"
#include "steadfast/client.hpp"
#include "workflow/time/time.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace steadfast::apps {

/// What `incident.list`, `node.list` and `task.stuck` answered; null: it was not asked.
struct health {
  nlohmann::json incidents = nlohmann::json::array(); ///< open ones
  bool more_incidents = false;                        ///< than these
  nlohmann::json nodes = nlohmann::json::array();
  nlohmann::json store_trouble; ///< why the store takes no writes, or cannot be asked; null: nothing is wrong
  nlohmann::json standstill;
};

/// At most incidents_looked_at of them. `waits`: reads all unfinished tasks for the longest wait.
health look_at_health(client& node, bool waits);
inline constexpr std::size_t incidents_looked_at = 200;

/// Nobody has to do anything: only muted incidents, no lost node, a node that takes tasks, no stuck task, a store
/// that takes writes.
bool is_well(const health& h, workflow::instant now);

/// One sentence: what is wrong, since when, for how many tasks; and the oldest wait.
std::string health_sentence(const health& h, workflow::instant now);

/// Open ones that are not muted come first, those with the most tasks before the others.
void sort_incidents(nlohmann::json& incidents, workflow::instant now);

/// Rows of incidents: number, since, tasks, where, state, cause.
table incident_table(const nlohmann::json& incidents, workflow::instant now, std::size_t max);

} // namespace steadfast::apps
