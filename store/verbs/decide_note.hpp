#pragma once

#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"
#include "workflow/on_call/incident.hpp"

#include <cstdint>
#include <optional>
#include <string>

// Alerts for people, notices for observers, late replies kept as evidence.

namespace steadfast::store {

// ---- late replies ----

inline constexpr std::uint32_t late_replies_max = 32; ///< kept for each task

/// The places in use: from `first` to just before `next`.
struct late_reply_ring {
  std::uint32_t first = 0;
  std::uint32_t next = 0;
};
/// Where the next one is put, and which one it replaces.
struct late_reply_place {
  std::uint32_t at = 0;
  std::optional<std::uint32_t> leaves{};
};
late_reply_place next_place(const late_reply_ring& there);

decision decide(const keep_late_reply& w, bool is_task_there);
/// As it is kept: a scheduler that no longer has the task cannot name the step, and sends its index ("#1").
workflow::late_reply with_step_named(workflow::late_reply sent, const workflow::definition& d);

// ---- alerts ----

/// An alert that is to be raised.
struct raised_alert {
  std::uint64_t task_number = 0; ///< 0: it is about no task
  std::string task_id;
  workflow::alert what;
  workflow::incident_signature signature; ///< of the incident that it joins
  bool is_condition = false;              ///< made by report_conditions
};

alert_entry entry_of(const raised_alert& x, std::uint64_t alert);
/// The task that an act was on.
struct act_place {
  std::uint64_t task_number = 0; ///< 0: it was on none
  std::string task_id{};
};
/// An act of a person is kept among the alerts, acknowledged as it is raised. `alert`: the number that it gets.
decided<record_act, alert_entry> decide(const record_act& w, std::uint64_t alert, act_place on = {});

/// Whether its incident may be a condition; if not, nobody need look it up.
bool may_be_of_condition(const alert_entry& x);
/// Whether an alert still belongs to its incident after it was acknowledged. Absent: that depends on its task
/// (workflow::still_holds). `is_of_condition`: its incident is a condition.
std::optional<bool> holds_on(const workflow::alert& what, bool is_of_condition);

/// What becomes of an alert that somebody acknowledges.
struct acknowledged_alert {
  decision said;
  std::optional<alert_entry> put{}; ///< absent: the first acknowledgement counts
  bool is_seen = false;             ///< it leaves the list of open alerts
  bool leaves_incident = false;
};
/// `holds`: whether it still holds, see holds_on.
acknowledged_alert acknowledged(alert_entry there, const std::string& who, workflow::instant now, bool holds);

/// What is known of the alert that the write names.
struct known_alert {
  bool is_there = false;
  std::optional<alert_entry> entry{}; ///< absent: its record is damaged
  bool holds = false;
};
acknowledged_alert decide(const acknowledge_alert& w, known_alert there);

// ---- notices ----

/// What is wrong with the write by itself, whatever is stored; absent: nothing.
std::optional<decision> problem_of(const acknowledge_notices& w);
/// Whether the write drops the notice with that sequence number.
bool drops(const acknowledge_notices& w, std::uint32_t sequence);

} // namespace steadfast::store
