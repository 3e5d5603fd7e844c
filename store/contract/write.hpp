#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/on_call/bulk_act.hpp"
#include "workflow/schedule/schedule.hpp"
#include "workflow/supervision/conditions.hpp"
#include "workflow/supervision/retention.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"
#include "workflow/transition/command.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// The verbs of a store: what can be written, and what is answered.

namespace steadfast::store {

enum class write_status : std::uint8_t {
  applied = 1,
  stale_lock = 2,      ///< the task was changed or locked by somebody else since it was read
  stale_epoch = 3,     ///< the lease under which it was written has a later epoch by now
  full = 4,            ///< no room for new work; running work is still recorded
  refused = 5,         ///< the request itself cannot be met; `why` says so
  absent = 6,          ///< there is no such task, workflow, lease or alert
  unknown_outcome = 7, ///< the commit was reported as failed but may have been made (engines over a network only)
};
std::string_view to_string(write_status v);

/// A task with all that belongs to it, by itself: to look at it elsewhere, or to continue it in another store.
struct exported_task {
  workflow::definition definition;
  workflow::task task;                   ///< payload and results included
  std::array<std::uint64_t, 2> digest{}; ///< of its submission; it tells when another body comes under the same id
  std::vector<workflow::late_reply> late_replies; ///< oldest first
};

/// The write is only valid while the lease is held with this epoch, and has not ended by the writer's clock.
struct lease_guard {
  std::string name;
  std::uint64_t epoch = 0;
};

// ---- what is answered to a write that was applied, by its kind ----

struct submit_result {
  bool created = false; ///< false: the task was already there
  std::uint64_t number = 0;
  workflow::process_state state = workflow::process_state::pending;
};
/// A task that was changed while a scheduler had it: that scheduler must read it again.
struct task_of_scheduler {
  std::string scheduler;
  std::uint64_t number = 0;
};
/// Tasks that changed as a consequence of a write: families, and tasks that took an event. Not sent to another node.
struct other_changes {
  std::vector<std::uint64_t> numbers;    ///< of all of them
  std::vector<task_of_scheduler> locked; ///< those of them that a scheduler has
};
struct update_result {
  std::uint64_t revision = 0; ///< the stored one
  bool has_ended = false;     ///< by this update; not sent to another node
  /// The task began to wait for an event that had come already, or for a task that had ended, and changed again because
  /// of it: its scheduler must read it again. Not sent to another node.
  bool took_event = false;
  bool freed_schedule = false; ///< a schedule waits for the end of this task; not sent to another node
  other_changes others{};
};
struct claim_result {
  std::vector<workflow::task> tasks;        ///< as stored, payloads and results included
  workflow::instant next = workflow::never; ///< when the next waiting task becomes claimable
  bool more = false; ///< there are more to have now, though perhaps only of workflows that have their share
  other_changes others{};
};
struct free_result {
  std::uint64_t freed = 0;
  bool more = false; ///< there are more to free now
  other_changes others{};
};
struct import_result {
  std::uint64_t number = 0;
  workflow::process_state state = workflow::process_state::pending;
  other_changes others{};
};
struct register_result {
  bool created = false; ///< false: it was there already
};
struct lease_result {
  std::uint64_t epoch = 0;
};
/// A place among the ended tasks of a workflow, in the order in which they ended.
struct ended_position {
  workflow::instant ended_at;
  std::uint64_t number = 0;
  std::uint64_t passed = 0; ///< how many tasks up to here were due to leave but could not
};
struct purge_result {
  std::uint64_t purged = 0;
  workflow::instant next = workflow::never; ///< when the next task becomes too old
  bool more = false;                        ///< there are more to purge now
  ended_position reached;                   ///< where the next purge goes on
};
struct incident_result {
  std::uint64_t acknowledged = 0; ///< alerts
  bool more = false;              ///< there are more to acknowledge now
};
struct conditions_result {
  std::uint64_t raised = 0;
};
struct bulk_result {
  std::uint64_t number = 0; ///< of the act that began
};
struct event_result {
  std::uint64_t number = 0; ///< of the event
  std::uint64_t taken = 0;  ///< how many tasks took it, or an earlier event
  bool more = false;        ///< more tasks wait for it: later claims hand it to them
  bool again = false;       ///< it had come before, under the same id: nothing was changed
  other_changes others{};   ///< includes the tasks that took it
};
struct schedule_result {
  bool changed = false;                     ///< false: it was as it should be already
  std::uint64_t made = 0;                   ///< how many tasks were made
  workflow::instant next = workflow::never; ///< fire_schedules: when the next one is due; a person's run: its moment
  bool more = false;                        ///< more schedules are due now
  other_changes others{};                   ///< includes the tasks that it made or cancelled
};
/// For a write whose status says everything.
struct no_result {};

// ---- what can be written; `now` is the writer's clock, whose setting is not stored ----

/// Makes a task, once per id.
struct submit_task {
  using result = submit_result;
  workflow::submission what;
  workflow::instant now;
};
/// A stretch of a task's steps (workflow::step_list).
struct sent_steps {
  std::uint32_t first = 0;
  workflow::few_steps steps;

  friend bool operator==(const sent_steps&, const sent_steps&) = default;
};
/// If a task has more steps than this, an update is sent to another node without the steps that did not change. Nodes
/// that cannot read such an update have no such tasks.
inline constexpr std::size_t sent_whole_max = 256;

/// Stores the next state of a task, together with everything that must become true at the same moment.
struct update_task {
  using result = update_result;
  workflow::task next;                 ///< `next.revision` is the revision it was made from; the store increments it
  std::uint64_t lock_epoch_before = 0; ///< lock epoch of the task from which it was made
  std::optional<lease_guard> guard;
  std::vector<workflow::notice> notices;
  std::vector<workflow::alert> alerts;
  std::optional<workflow::late_reply> evidence;
  bool payload_changed = false;  ///< the payload record must be written again
  workflow::clock_reading now{}; ///< by which `guard` is checked; unset: only its epoch is checked
  std::uint64_t bulk = 0;        ///< number of the bulk act that makes it, which acts on each task only once; 0: none
  workflow::step_list
    steps_before{}; ///< of the task from which it was made, or empty; they tell which steps need not be sent

  // In an update as it arrives from another node, where `next` has no steps. Otherwise empty.
  std::uint32_t steps_in_all = 0;
  std::vector<sent_steps> changed{};
};
/// How much of a workflow a scheduler has, counted as workflow::load_of does.
struct workflow_load {
  std::string workflow;
  std::uint64_t load = 0;
};
/// Takes up to `max` claimable tasks for a scheduler, by priority, then by the shares of their workflows
/// (workflow/supervision/fair_share.hpp), then by age; each becomes what apply(taken) makes of it.
struct claim_tasks {
  using result = claim_result;
  std::string scheduler;
  std::size_t max = 0;
  workflow::clock_reading now;
  std::optional<lease_guard> guard{}; ///< of the scheduler's node
  std::uint64_t places = 0;           ///< how many places of this scheduler one workflow may have; 0: any number
  std::uint64_t in_flight = 0;        ///< tasks that the scheduler has
  std::vector<workflow_load> loads{}; ///< of the workflows from which it has tasks
  std::string after{};                ///< the workflow that got the last place; among equals the one after it is next
};
/// Applies lock_lapsed (or, with `graceful`, lock_released) to up to `max` tasks locked by that scheduler.
struct free_locks {
  using result = free_result;
  std::string scheduler;
  std::size_t max = 1000;
  bool graceful = false;
  workflow::clock_reading now;
  std::vector<std::uint64_t> except{}; ///< numbers of tasks that stay locked, ascending
  std::optional<lease_guard> guard{};  ///< of the scheduler's node, or of the supervisor if that node is gone
  std::optional<lease_guard> gone{};   ///< if set: only while this lease is still at that epoch and has ended
};
struct keep_late_reply {
  std::uint64_t number = 0;
  workflow::late_reply what;
};
/// Keeps a definition for ever; the same name and version with another content is refused. With `file`, such a
/// refusal raises an alert, at most one at a time. The alert is over when a definition of that name is accepted
/// again.
struct register_definition {
  using result = register_result;
  workflow::definition what;
  std::string file{}; ///< from which it was read, for people; empty: a program made it
  workflow::clock_reading now{};
};
inline constexpr const char* changed_workflow = "changed_workflow"; ///< kind of that alert
/// Kind of an alert about tasks whose workflow cannot be read. It is over when the definition is registered again.
inline constexpr const char* damaged_workflow = "damaged_workflow";
/// Kind of the alerts about a schedule; each is over when the problem that it reports is.
inline constexpr const char* incident_of_schedule = "schedule";
/// Leases: `ttl` counts from `now`. Acquiring a free, lapsed or own lease raises its epoch.
struct acquire_lease {
  using result = lease_result;
  std::string name;
  std::string holder;
  std::string note; ///< shown to people: address, roles
  workflow::span ttl{};
  workflow::clock_reading now;
};
struct renew_lease {
  using result = lease_result;
  std::string name;
  std::string holder;
  std::uint64_t epoch = 0;
  workflow::span ttl{};
  workflow::clock_reading now;
  std::string note{}; ///< replaces the stored note; empty: the stored one stays
};
struct release_lease {
  using result = lease_result;
  std::string name;
  std::string holder;
  std::uint64_t epoch = 0;
};
struct acknowledge_alert {
  std::uint64_t alert = 0;
  std::string who;
  workflow::instant now;
};
/// Keeps an act of a person on something that is not a task. It is kept among the alerts, acknowledged from the start.
struct record_act {
  std::string who;
  std::string what; ///< "drained node `one`"
  std::string why;
  workflow::instant now;
};
/// Drops the observer's notices of a task up to and including `sequence`.
struct acknowledge_notices {
  std::string observer;
  std::uint64_t number = 0;
  std::uint32_t sequence = 0;
};
/// Moves a task whose records are damaged out of the way, and raises an alert.
struct set_aside_damaged {
  std::uint64_t number = 0;
  std::string why;
  workflow::instant now;
};
/// Takes in a task from another store, once per id, with its definition. One that has not ended is suspended until a
/// person resumes it, for the store that it came from may still be running it.
struct import_task {
  using result = import_result;
  exported_task what;
  std::string who;
  std::string why;
  workflow::instant now;
};
/// Removes up to `max` of the oldest ended tasks of a workflow that are due to leave, with all of their records. A task
/// that somebody still has to see stays: its observer has notices to acknowledge, or an alert of it is open.
struct purge_ended {
  using result = purge_result;
  std::string workflow;
  workflow::retention keep;
  std::size_t max = 0;
  ended_position after; ///< where an earlier purge stopped and this one goes on
  workflow::instant now;
};

/// Stored as words in the incident's list of acts.
enum class incident_act : std::uint8_t { acknowledge = 1, mute = 2, unmute = 3, note = 4 };

/// What a person does to an incident. Acknowledging it acknowledges its alerts, up to `max` in one write.
struct act_on_incident {
  using result = incident_result;
  std::uint64_t number = 0;
  incident_act act = incident_act::note;
  workflow::instant until = workflow::never; ///< with mute
  std::string who;
  std::string why;
  std::uint32_t max = 1000;
  workflow::instant now;
};
/// All conditions that hold now: new ones raise an alert, those that are no longer in the list are over, and the others
/// get their current text.
struct report_conditions {
  using result = conditions_result;
  std::vector<workflow::system_condition> hold;
  std::optional<lease_guard> guard;
  workflow::clock_reading now;
};

/// Begins an act on all tasks that match and exist by now: tasks that are submitted later are not affected. Its bounds
/// are options of the store. Number and progress in `what` are ignored.
struct start_bulk {
  using result = bulk_result;
  workflow::bulk_act what;
  workflow::instant now;
  bool is_question = false; ///< only ask whether it would begin: nothing is stored
};
/// One page of a bulk act is done.
struct advance_bulk {
  std::uint64_t number = 0;
  std::uint64_t position = 0; ///< the next page begins below this number
  bool is_last = false;
  std::vector<workflow::bulk_refusal> refused;
  std::uint64_t skipped = 0;
  workflow::instant now;
};
/// Ends a bulk act: what it has not done by then is not done.
struct stop_bulk {
  std::uint64_t number = 0;
  std::string who;
  std::string why;
  workflow::instant now;
};

/// Keeps an event from outside, and hands it to tasks that wait for it. If so many wait that one write would take too
/// long, later claims hand it to the rest.
struct send_event {
  using result = event_result;
  std::string name;
  std::string key;
  std::string task_id; ///< only for that task, whatever its key; empty: for all
  std::string data;    ///< a JSON text
  std::string who;
  workflow::span keep_for{};
  workflow::instant now;
  /// The id by which a repetition is recognised while the event is kept; each event name has its own ids. Empty: none.
  std::string id{};
  bool is_question = false;  ///< only ask whether it would be taken: it is not kept
  bool is_elsewhere = false; ///< the task is in another store: only check whether the id came before to this one
  /// When the event came, if it came to several stores: all of them keep this time. Unset: now.
  workflow::instant sent_at = workflow::unset;
};

/// Keeps a schedule, in place of the one of that name. With `file`, a refusal raises an alert, at most one at a time.
/// The alert is over when the schedule is put or removed.
struct put_schedule {
  using result = schedule_result;
  workflow::schedule what;
  std::string file; ///< from which it was read, for people; empty: it came by a command
  workflow::clock_reading now;
  bool is_question = false; ///< only ask whether it would be accepted: nothing is stored
};

/// Stored as words in the notes of what persons did.
enum class schedule_act : std::uint8_t { pause = 1, resume = 2, run = 3, remove = 4 };

/// An act of a person on a schedule. The tasks that it has made stay.
struct act_on_schedule {
  using result = schedule_result;
  std::string name;
  schedule_act act = schedule_act::pause;
  std::string who;
  std::string why;
  workflow::clock_reading now;
};

/// Serves up to `max` schedules that are due. A moment and its task are stored in one commit.
struct fire_schedules {
  using result = schedule_result;
  std::uint32_t max = 100;
  std::optional<lease_guard> guard; ///< the supervisor's
  workflow::clock_reading now;
};

using write =
  std::variant<submit_task, update_task, claim_tasks, free_locks, keep_late_reply, register_definition, acquire_lease,
               renew_lease, release_lease, acknowledge_alert, acknowledge_notices, set_aside_damaged, record_act,
               import_task, purge_ended, act_on_incident, report_conditions, start_bulk, advance_bulk, stop_bulk,
               send_event, put_schedule, act_on_schedule, fire_schedules>;

/// Writes to commit together, in this order. Whoever made them keeps them alive until then.
using write_list = std::vector<const write*>;

// ---- what became of a write ----

/// What every write is answered.
struct decision {
  write_status result = write_status::refused;
  std::string why;
};

namespace detail {
template <class Write>
struct result_of {
  using type = no_result;
};
template <class Write>
requires requires {
  typename Write::result;
}
struct result_of<Write> {
  using type = typename Write::result;
};
} // namespace detail

template <class Write>
using result_of_t = typename detail::result_of<Write>::type;

/// What became of a write whose kind is known. If the write was not applied, the status says everything: the other
/// fields have their initial values.
template <class Write>
struct answer : decision, result_of_t<Write> {
  answer() = default;
  answer(decision d) : decision{std::move(d)} {}
  answer(decision d, result_of_t<Write> r) : decision{std::move(d)}, result_of_t<Write>{std::move(r)} {}
};

/// Every result at once: of an outcome from another node, whose reader knew the kind of the write and what is meant.
struct any_result : submit_result,
                    update_result,
                    claim_result,
                    free_result,
                    import_result,
                    register_result,
                    lease_result,
                    purge_result,
                    incident_result,
                    conditions_result,
                    bulk_result,
                    event_result,
                    schedule_result,
                    no_result {};

/// A task that a write made, or that ended by the write, in that state.
struct task_news {
  std::uint64_t number = 0;
  std::string workflow;
  workflow::process_state state = workflow::process_state::pending;
};

/// What became of a write of any kind.
class outcome : public decision {
public:
  std::vector<task_news> tasks; ///< besides the one that the write names; not sent to another node

  outcome() = default;
  outcome(decision d) : decision{std::move(d)} {}
  template <class Result>
  outcome(decision d, Result r) : decision{std::move(d)},
                                  what_{std::move(r)} {}
  template <class Write>
  outcome(answer<Write> a) : decision{std::move(static_cast<decision&>(a))} {
    if (result == write_status::applied)
      what_ = std::move(static_cast<result_of_t<Write>&>(a));
  }

  /// The result of a write whose result has that type. REQUIRES: it was such a write. If it was not applied, the result
  /// has its initial values.
  template <class Result>
  const Result& as() const {
    static const Result nothing{};
    if (std::holds_alternative<no_result>(what_))
      return nothing;
    const auto* const all = std::get_if<any_result>(&what_);
    return all != nullptr ? static_cast<const Result&>(*all) : std::get<Result>(what_);
  }
  template <class Write>
  answer<Write> to() const {
    return {*this, as<result_of_t<Write>>()};
  }
  template <class Result>
  bool is() const {
    return std::holds_alternative<Result>(what_);
  }
  template <class Use>
  void visit(Use use) const {
    std::visit(use, what_);
  }

private:
  std::variant<no_result, submit_result, update_result, claim_result, free_result, import_result, register_result,
               lease_result, purge_result, incident_result, conditions_result, bulk_result, event_result,
               schedule_result, any_result>
    what_;
};

} // namespace steadfast::store
