#pragma once

#include "store/contract/state_store.hpp"
#include "store/verbs/decide_note.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Incidents: how alerts join and leave them, what persons do to them, and conditions of the whole.

namespace steadfast::store {

// ---- an alert joins and leaves ----

/// Whether an alert that is raised then goes on with the last incident of its signature; else it opens another.
bool goes_on_with(const incident& last, workflow::instant at);
/// Without the alert.
incident opened_by(const raised_alert& x, std::uint64_t number);
/// One that was closed is open again. REQUIRES: it was just opened by the alert, or goes_on_with.
void join(incident& to, const raised_alert& x, bool is_first_of_task);
/// How many of the oldest are looked at when there are too many (`incidents_kept`) and another is opened.
inline constexpr std::size_t old_incidents_max = 64;
/// Those of them that are dropped then: a few that are closed. REQUIRES: the newest of all is not among them, whose
/// number must not be given twice.
std::vector<incident> incidents_to_drop(std::vector<incident> oldest);
/// The last alert that leaves closes it.
void leave(incident& from, bool is_last_of_task, workflow::instant now);

// ---- persons ----

struct incident_act_taken : decided<act_on_incident, incident> {
  bool is_acknowledged = false; ///< and so are its alerts, up to `max`
};
/// `there`: null: there is none of that number.
incident_act_taken decide(const act_on_incident& w, const incident* there);

// ---- conditions ----

struct reported_conditions {
  answer<report_conditions> said;
  std::vector<incident> put{};
  std::vector<std::uint64_t> over{};  ///< numbers of incidents of which all alerts are over
  std::vector<raised_alert> raised{}; ///< after those are over
};
/// `open`: open incidents that are conditions.
reported_conditions decide(const report_conditions& w, const std::vector<incident>& open);

} // namespace steadfast::store
