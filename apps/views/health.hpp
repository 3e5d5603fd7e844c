#pragma once

#include "apps/terminal/table.hpp"
#include "workflow/time/time.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::apps {

/// Rows of incidents: number, since, tasks, where, state, cause.
table incident_table(const nlohmann::json& incidents, workflow::instant now, std::size_t max);

} // namespace steadfast::apps
