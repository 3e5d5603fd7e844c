#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"
#include "workflow/transition/command.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// What makes alerts the same incident: one outage of one service raises one alert for each task, and is one incident.
struct incident_signature {
  std::string kind;     ///< of the alerts
  std::string agent;    ///< that did not do it; empty where no step is to blame
  std::string workflow; ///< empty for what is about no task
  std::string step;
  std::string cause; ///< generalized

  friend bool operator==(const incident_signature&, const incident_signature&) = default;
};

inline constexpr std::size_t cause_size_max = 160;

/// The cause without what differs from task to task: numbers, times, ids, addresses and quoted texts give way to
/// placeholders. The status of HTTP, or of a program that ended, stays, and of a JSON answer the texts that say why it
/// failed.
std::string generalized(std::string_view cause);

/// Of an alert that was raised when `t` became as it is. Null: the alert is about no task, or the task cannot be read.
incident_signature signature_of(const alert& a, const task* t, const definition* d);

/// The task may have alerts that end when it moves on: one that is not in trouble has none.
bool is_in_trouble(const task& t);

/// The alert is about the present state of its task. One that is about something that was holds until a person has
/// acknowledged it.
bool is_about_present_state(const alert& a);

/// What the alert says of the task is still so. REQUIRES: it is_about_present_state.
bool still_holds(const alert& a, const task& t, const definition& d);

/// The last thing that is known to have happened to it.
instant last_changed_at(const task& t);

/// The same thing again so soon after the end of an incident goes on with it: what flaps is one incident.
inline constexpr span incident_reopens_within = std::chrono::hours{1};
bool goes_on(instant closed_at, instant now);

} // namespace steadfast::workflow
