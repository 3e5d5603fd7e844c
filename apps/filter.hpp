#pragma once

#include "workflow/time.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace steadfast::apps {

inline constexpr const char* where_help =
  "Which tasks: KEY=VALUE,... with state (several: error|suspended), workflow, locked_by, agent (where an unfinished "
  "step had its last attempt), text (part of the id or the cause), before, after (submitted; \"2026-11-21T06:00:00Z\", "
  "or \"2h\" for two hours ago)";

/// The parameters of task.list and task.count for a text such as "state=error,workflow=orders". Throws failure.
nlohmann::json parse_where(std::string_view text, workflow::instant now);

inline constexpr const char* alert_where_help =
  "Which alerts: KEY=VALUE,... with incident (its number), kind, step, task (its id), text (part of what it says), before, "
  "after (raised; a moment, or \"2h\" for two hours ago)";

/// The same for alerts.list.
nlohmann::json parse_alert_where(std::string_view text, workflow::instant now);

/// A moment as RFC 3339, or a span such as "2h" counted from now, back if `past`. Throws failure; `what` names the option.
workflow::instant parse_moment(const std::string& text, workflow::instant now, bool past, const std::string& what);

/// The wall clock.
workflow::instant wall_clock();

} // namespace steadfast::apps
