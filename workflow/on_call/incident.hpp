#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"
#include "workflow/transition/command.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// What makes alerts one incident: one outage of one service raises an alert for each task, but is one incident.
struct incident_signature {
  std::string kind;     ///< of the alerts
  std::string agent;    ///< that did not do its work; empty if no step is to blame
  std::string workflow; ///< empty if it is about no task
  std::string step;
  std::string cause; ///< generalized

  friend bool operator==(const incident_signature&, const incident_signature&) = default;
};

inline constexpr std::size_t cause_size_max = 160;

/// The cause without what differs from task to task: numbers, times, ids, addresses and quoted texts are replaced by
/// placeholders. The status of HTTP, or of a program that ended, stays; of a JSON answer, the texts stay that say why
/// it failed.
std::string generalized(std::string_view cause);

/// For an alert that was raised when `t` became as it is. Null: the alert is about no task, or the task cannot be read.
incident_signature signature_of(const alert& a, const task* t, const definition* d);

/// Whether the task may have alerts that end when it moves on: a task that is not in trouble has none.
bool is_in_trouble(const task& t);

/// Whether the alert is about the present state of its task. An alert about a past event holds until a person has
/// acknowledged it.
bool is_about_present_state(const alert& a);

/// Whether what the alert says about the task is still true. REQUIRES: it is_about_present_state.
bool still_holds(const alert& a, const task& t, const definition& d);

/// When the last thing that is known about the task happened.
instant last_changed_at(const task& t);

/// If the same happens again so soon after the end of an incident, that one goes on: what flaps is one incident.
inline constexpr span incident_reopens_within = std::chrono::hours{1};
bool goes_on(instant closed_at, instant now);

} // namespace steadfast::workflow
