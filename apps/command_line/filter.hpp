#pragma once

#include "workflow/time/time.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace steadfast::apps {

inline constexpr const char* where_help =
  "Which tasks: KEY=VALUE,... with state (several: error|suspended), workflow, locked_by, agent (where an unfinished "
  "step had its last attempt), step (the current one), text (part of the id or the cause), cause (all of it), "
  "before, after (submitted), ended_before, ended_after (a moment as tables print it, or \"2h\" for two hours ago), "
  "payload:/PLACE (a value that the workflow has an index on). Put a value with commas in quotes: cause=\"a, b\"";

/// The parameters of task.list and task.count for a text such as "state=error,workflow=orders". Throws failure.
nlohmann::json parse_where(std::string_view text, workflow::instant now);

inline constexpr const char* alert_where_help = "Which alerts: KEY=VALUE,... with incident (its number), kind, step, "
                                                "task (its id), text (part of what it says), before, "
                                                "after (raised; a moment, or \"2h\" for two hours ago)";

/// The same for alerts.list.
nlohmann::json parse_alert_where(std::string_view text, workflow::instant now);

/// The keys and the states that these texts may have, for completion.
const std::vector<std::string>& task_filter_keys();
const std::vector<std::string>& alert_filter_keys();
const std::vector<std::string>& state_names();

/// A moment as RFC 3339 or as tables print it, or a span such as "2h" counted from now, back if `past`. Throws failure;
/// `what` names the option.
workflow::instant parse_moment(const std::string& text, workflow::instant now, bool past, const std::string& what);

/// For CLI11: digits only, since it takes -1 for a large number. Empty: the text is a number.
std::string why_no_number(const std::string& text);

/// For CLI11: an option that is given has a value. Empty: it has one.
std::string why_empty(const std::string& text);

/// The wall clock.
workflow::instant wall_clock();

} // namespace steadfast::apps
