#pragma once

#include "store/contract/state_store.hpp"
#include "store/verbs/decide_note.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Incidents: how alerts join and leave them, what persons do to them, and the conditions of the whole cluster.

namespace steadfast::store {

// ---- an alert joins and leaves ----

/// Whether an alert raised at `at` continues the last incident of its signature; otherwise it opens another.
bool goes_on_with(const incident& last, workflow::instant at);
/// The alert itself is not counted yet: see join().
incident opened_by(const raised_alert& x, std::uint64_t number);
/// Reopens a closed incident. REQUIRES: the alert has just opened it, or goes_on_with.
void join(incident& to, const raised_alert& x, bool is_first_of_task);
/// How many of the oldest are looked at when another is opened and there are too many (`incidents_kept`).
inline constexpr std::size_t old_incidents_max = 64;
/// Which of them are dropped then: a few that are closed. REQUIRES: the newest incident is not among them, since its
/// number must not be given again.
std::vector<incident> incidents_to_drop(std::vector<incident> oldest);
/// The incident is closed when its last alert leaves.
void leave(incident& from, bool is_last_of_task, workflow::instant now);

// ---- persons ----

struct incident_act_taken : decided<act_on_incident, incident> {
  bool is_acknowledged = false; ///< and so are its alerts, up to `max`
};
/// `there`: null: there is no incident with that number.
incident_act_taken decide(const act_on_incident& w, const incident* there);

// ---- conditions ----

struct reported_conditions {
  answer<report_conditions> said;
  std::vector<incident> put{};
  std::vector<std::uint64_t> over{};  ///< numbers of incidents whose alerts are all over
  std::vector<raised_alert> raised{}; ///< to be raised after those are over
};
/// `open`: the open incidents that are conditions.
reported_conditions decide(const report_conditions& w, const std::vector<incident>& open);

} // namespace steadfast::store
