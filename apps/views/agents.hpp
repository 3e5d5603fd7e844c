#pragma once

#include "apps/terminal/table.hpp"
#include "steadfast/client.hpp"
#include "workflow/time/time.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

// Agents of all nodes as people see them: the service behind each, and its health.

namespace steadfast::apps {

/// One line for each; those whose circuits are not closed come first, then those that fail most. `agents`: as
/// `agent.list` answers. At most so many columns of the last error.
table agent_table(const nlohmann::json& agents, workflow::instant now, std::size_t max,
                  std::size_t error_columns = std::string::npos);

/// "circuit open until 12:00:05; last failure 12:00:00 (5 s ago): HTTP 503". Empty: its circuit is closed.
std::string circuit_words(const nlohmann::json& agent, workflow::instant now);

} // namespace steadfast::apps
