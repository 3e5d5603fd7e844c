#pragma once

#include "store/verbs/decide.hpp"
#include "store/verbs/decide_note.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/schedule/schedule_state.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// Schedules make tasks at their moments. A moment is settled in the commit that makes its task, and the id of the task
// is made of it, so that none comes twice.

namespace steadfast::store {

struct known_schedule {
  const workflow::schedule_state* there = nullptr;  ///< of that name
  const workflow::definition* definition = nullptr; ///< of its workflow; null: there is none
  std::size_t count = 0;                            ///< schedules that there are
  std::vector<lease> nodes{};
  std::vector<std::uint64_t> refusals{}; ///< open incidents: it stands in a file, and could not be put
  std::vector<std::uint64_t> damages{};  ///< open incidents: its record was damaged
};
struct placed_schedule {
  answer<put_schedule> said;
  std::optional<workflow::schedule_state> put{}; ///< absent: all stays
  std::vector<std::uint64_t> over{};             ///< numbers of incidents of which all alerts are over
  std::optional<raised_alert> raised{};
};
placed_schedule decide(const put_schedule& w, const known_schedule& known);

/// What a schedule asks of the store for that moment.
workflow::submission submission_of(const workflow::schedule& s, workflow::instant moment);
workflow::made_task made_of(const answer<submit_task>& o, const std::string& id);

/// The task of an earlier moment makes room for it.
workflow::cancelled cancelled_for_next();

/// Neither processed nor undone: what a person has to see to is not over.
bool is_open_for_schedules(workflow::process_state s);

/// The tasks that serving it now may make.
std::vector<std::string> ids_due(const workflow::schedule_state& s, workflow::instant now);

struct acted_schedule {
  answer<act_on_schedule> said;
  std::optional<workflow::schedule_state> put{};
  bool is_removed = false;
  bool is_full = false;
  std::string done{};    ///< "paused schedule `nightly`", for the notes of what persons did
  std::string over{};    ///< incidents whose causes begin so are over; empty: none
  std::string over_by{}; ///< who ended them
};
/// `there`: null: there is none of that name.
acted_schedule decide(const act_on_schedule& w, const workflow::schedule_state* there,
                      const workflow::schedule_needs& needs);

struct served_schedule {
  workflow::schedule_state put;
  std::string over{}; ///< incidents whose causes begin so are over; empty: none
  std::optional<raised_alert> raised{};
};
/// It makes the tasks that are due.
served_schedule serve(const workflow::schedule_state& there, workflow::instant now,
                      const workflow::schedule_needs& needs);

/// The first refusal of a row of them: people are told.
std::optional<raised_alert> alert_of_refusal(const workflow::schedule_state& before,
                                             const workflow::schedule_state& after, workflow::instant now);
/// It has made a task, after it could not.
bool is_refusal_over(const workflow::schedule_state& before, const workflow::schedule_state& after);
/// Causes of incidents of a schedule, which begin with what all of them have.
std::string cause_of_schedule(const std::string& name);
std::string cause_of_unplaced(const std::string& name);
std::string cause_of_refused(const std::string& name);
std::string cause_of_damaged(const std::string& name);
raised_alert alert_of_damaged_schedule(const std::string& name, workflow::instant now);

} // namespace steadfast::store
