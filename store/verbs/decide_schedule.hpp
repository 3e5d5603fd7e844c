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

// Schedules make tasks at their moments. A moment is settled in the commit that makes its task, and the id of that task
// is made from the moment, so that no task comes twice.

namespace steadfast::store {

struct known_schedule {
  const workflow::schedule_state* there = nullptr;  ///< the stored one of that name; null: none
  const workflow::definition* definition = nullptr; ///< of its workflow; null: there is none
  std::size_t count = 0;                            ///< how many schedules there are
  std::vector<lease> nodes{};
  std::vector<std::uint64_t> refusals{}; ///< open incidents: it is in a file, and could not be put
  std::vector<std::uint64_t> damages{};  ///< open incidents: its record was damaged
};
struct placed_schedule {
  answer<put_schedule> said;
  std::optional<workflow::schedule_state> put{}; ///< absent: nothing changes
  std::vector<std::uint64_t> over{};             ///< numbers of incidents whose alerts are all over
  std::optional<raised_alert> raised{};
};
placed_schedule decide(const put_schedule& w, const known_schedule& known);

/// The task that a schedule submits for that moment.
workflow::submission submission_of(const workflow::schedule& s, workflow::instant moment);
workflow::made_task made_of(const answer<submit_task>& o, const std::string& id);

/// Cancels the task of an earlier moment, to make room for the next one.
workflow::cancelled cancelled_for_next();

/// Neither processed nor undone: a task that a person still has to deal with is not over.
bool is_open_for_schedules(workflow::process_state s);

struct acted_schedule {
  answer<act_on_schedule> said;
  std::optional<workflow::schedule_state> put{};
  bool is_removed = false;
  bool is_full = false;
  std::string done{};    ///< "paused schedule `nightly`", to be noted among the acts of persons
  std::string over{};    ///< incidents whose causes begin with this are over; empty: none
  std::string over_by{}; ///< who ended them
};
/// `there`: null: there is no schedule of that name.
acted_schedule decide(const act_on_schedule& w, const workflow::schedule_state* there,
                      const workflow::schedule_needs& needs);

struct served_schedule {
  workflow::schedule_state put;
  std::string over{}; ///< incidents whose causes begin with this are over; empty: none
  std::optional<raised_alert> raised{};
};
/// Makes the tasks that are due.
served_schedule serve(const workflow::schedule_state& there, workflow::instant now,
                      const workflow::schedule_needs& needs);

/// Causes of the incidents of a schedule. All of them begin with what cause_of_schedule returns.
std::string cause_of_schedule(const std::string& name);
std::string cause_of_unplaced(const std::string& name);
std::string cause_of_refused(const std::string& name);
std::string cause_of_damaged(const std::string& name);
raised_alert alert_of_damaged_schedule(const std::string& name, workflow::instant now);

} // namespace steadfast::store
