#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/definition/payload_index.hpp"
#include "workflow/supervision/conditions.hpp"
#include "workflow/supervision/retention.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/endings.hpp"
#include "workflow/task/task.hpp"
#include "workflow/transition/bulk_act.hpp"
#include "workflow/transition/command.hpp"
#include "workflow/transition/incident.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::store {

/// The environment let us down: the disk, the map or the file. After one that `is_fatal`, the process must stop acting:
/// what is on disk is only known again after the store was opened anew.
class store_error : public std::runtime_error {
public:
  store_error(const std::string& what, bool fatal) : std::runtime_error{what}, fatal_{fatal} {}
  bool is_fatal() const { return fatal_; }

private:
  bool fatal_;
};

enum class verdict : std::uint8_t {
  applied = 1,
  stale_lock = 2,      ///< the task was changed or locked by somebody else since it was read
  stale_epoch = 3,     ///< the lease under which it was written belongs to a later epoch by now
  full = 4,            ///< no room for new work; running work is still recorded
  refused = 5,         ///< the request itself cannot be met; `why` says so
  absent = 6,          ///< there is no such task, workflow, lease or alert
  unknown_outcome = 7, ///< the commit was reported as failed but may have been made (engines over a network only)
};
std::string_view to_string(verdict v);

/// A task with all that belongs to it, on its own: to look at it elsewhere, or to go on with it in another store.
struct exported_task {
  workflow::definition definition;
  workflow::task task;                   ///< payload and results included
  std::array<std::uint64_t, 2> digest{}; ///< of its submission, by which another body under the same id is noticed
  std::vector<workflow::late_reply> late_replies; ///< oldest first
};

/// A write that is only valid while the lease is held with this epoch, and has not ended by the writer's clock.
struct lease_guard {
  std::string name;
  std::uint64_t epoch = 0;
};

// ---- what can be written; `now` is the writer's clock, whose setting is not stored ----

/// Makes a task, once per id.
struct submit_task {
  workflow::submission what;
  workflow::instant now;
};
/// Stores the next state of a task, with all that must become true together with it.
struct update_task {
  workflow::task next;                 ///< `next.revision` is the revision it was made from; the store raises it
  std::uint64_t lock_epoch_before = 0; ///< lock epoch of the task it was made from
  std::optional<lease_guard> guard;
  std::vector<workflow::notice> notices;
  std::vector<workflow::alert> alerts;
  std::optional<workflow::late_reply> evidence;
  bool payload_changed = false; ///< the payload record must be written again
  workflow::instant now{};      ///< by which `guard` is judged; unset: by its epoch alone
  std::uint64_t bulk = 0;       ///< the bulk act of which it is a part, and which meets a task once; 0: of none
};
/// What a scheduler has of a workflow, as workflow::load_of says.
struct workflow_load {
  std::string workflow;
  std::uint64_t load = 0;
};
/// Takes up to `max` claimable tasks for a scheduler, by priority, then by the shares of their workflows
/// (workflow/supervision/fair_share.hpp), then by age; each becomes what apply(taken) makes of it.
struct claim_tasks {
  std::string scheduler;
  std::size_t max = 0;
  workflow::clock_reading now;
  std::optional<lease_guard> guard{}; ///< of the scheduler's node
  std::uint64_t places = 0;           ///< that one workflow may have of the scheduler; 0: as many as it likes
  std::uint64_t in_hand = 0;          ///< tasks that the scheduler has
  std::vector<workflow_load> loads{}; ///< of the workflows of which it has something
  std::string after{};                ///< the workflow that got the last place; among equals the one behind it is next
};
/// Applies lock_lapsed (or, with `graceful`, lock_released) to up to `max` tasks locked by that scheduler.
struct free_locks {
  std::string scheduler;
  std::size_t max = 1000;
  bool graceful = false;
  workflow::clock_reading now;
  std::vector<std::uint64_t> except{}; ///< numbers of tasks that stay locked, ascending
  std::optional<lease_guard> guard{};  ///< of the scheduler's node, or the supervisor's if that node is gone
  std::optional<lease_guard> gone{};   ///< only if this lease is still at that epoch and has ended
};
struct keep_late_reply {
  std::uint64_t number = 0;
  workflow::late_reply what;
};
/// Keeps a definition for ever; the same name and version with another content is refused. With `file` such a refusal
/// raises an alert, of which there is one at a time, and the alert is over when a definition of that name is taken
/// again.
struct register_definition {
  workflow::definition what;
  std::string file{}; ///< that it was read from, for people; empty: it was made by a program
  workflow::instant now{};
};
inline constexpr const char* changed_workflow = "changed_workflow"; ///< kind of that alert
/// Kind of an alert about tasks whose workflow cannot be read. It is over when the definition is registered anew.
inline constexpr const char* damaged_workflow = "damaged_workflow";
/// Leases: `ttl` counts from `now`. Acquiring a free, lapsed or own lease raises its epoch.
struct acquire_lease {
  std::string name;
  std::string holder;
  std::string note; ///< shown to people: address, roles
  workflow::span ttl{};
  workflow::instant now;
};
struct renew_lease {
  std::string name;
  std::string holder;
  std::uint64_t epoch = 0;
  workflow::span ttl{};
  workflow::instant now;
  std::string note{}; ///< in place of the one there is; empty: that stays
};
struct release_lease {
  std::string name;
  std::string holder;
  std::uint64_t epoch = 0;
};
struct acknowledge_alert {
  std::uint64_t alert = 0;
  std::string who;
  workflow::instant now;
};
/// Keeps what a person did to something that is no task, among the alerts, as one that was acknowledged.
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
/// Moves a task whose records do not check out of the way, with an alert.
struct set_aside_damaged {
  std::uint64_t number = 0;
  std::string why;
  workflow::instant now;
};
/// Takes in a task of another store, once per id, with its definition. One that has not ended rests: it is suspended,
/// and goes on when a person resumes it, for the store that it came from may be going on with it.
struct import_task {
  exported_task what;
  std::string who;
  std::string why;
  workflow::instant now;
};
/// A place among the ended tasks of a workflow, which are in the order of their ends.
struct ended_position {
  workflow::instant ended_at;
  std::uint64_t number = 0;
  std::uint64_t passed = 0; ///< tasks up to there that were to leave and could not
};
/// Removes up to `max` of the oldest ended tasks of a workflow that are to leave, with all of their records. One that
/// somebody still has to see stays: its observer has notices to acknowledge, or an alert of it is open.
struct purge_ended {
  std::string workflow;
  workflow::retention keep;
  std::size_t max = 0;
  ended_position after; ///< to go on from where another purge stopped
  workflow::instant now;
};

/// Stored as words in the incident's list of acts.
enum class incident_act : std::uint8_t { acknowledge = 1, mute = 2, unmute = 3, note = 4 };

/// What a person does to an incident. Acknowledging it acknowledges its alerts, up to `max` in one write.
struct act_on_incident {
  std::uint64_t number = 0;
  incident_act act = incident_act::note;
  workflow::instant until = workflow::never; ///< with mute
  std::string who;
  std::string why;
  std::uint32_t max = 1000;
  workflow::instant now;
};
/// All conditions that hold now: those that are new raise an alert, those that are not among them any more are over,
/// and the others are told in the words of now.
struct report_conditions {
  std::vector<workflow::system_condition> hold;
  std::optional<lease_guard> guard;
  workflow::instant now;
};

/// Begins an act on all tasks that match and are there by now: those that are submitted later are not met. Its bounds
/// are options of the store. What `what` says of its number and of how far it is does not count.
struct start_bulk {
  workflow::bulk_act what;
  workflow::instant now;
};
/// A page of it was gone through.
struct advance_bulk {
  std::uint64_t number = 0;
  std::uint64_t position = 0; ///< the next page begins below this number
  bool is_last = false;
  std::vector<workflow::bulk_refusal> refused;
  std::uint64_t skipped = 0;
  workflow::instant now;
};
/// What is not done by then is not done.
struct stop_bulk {
  std::uint64_t number = 0;
  std::string who;
  std::string why;
  workflow::instant now;
};

using write =
  std::variant<submit_task, update_task, claim_tasks, free_locks, keep_late_reply, register_definition, acquire_lease,
               renew_lease, release_lease, acknowledge_alert, acknowledge_notices, set_aside_damaged, record_act,
               import_task, purge_ended, act_on_incident, report_conditions, start_bulk, advance_bulk, stop_bulk>;

/// Writes to commit together, in this order; whoever made them keeps them until then.
using write_list = std::vector<const write*>;

/// What became of one write. Only the members that its kind mentions are set.
struct outcome {
  verdict result = verdict::refused;
  std::string why;
  bool created = false; ///< submit_task: false when the task was already there
  std::uint64_t number =
    0; ///< submit_task, import_task: the task; lease verbs: the epoch; free_locks, purge_ended: how many
  std::uint64_t revision = 0;                                       ///< update_task: the stored revision
  workflow::process_state state = workflow::process_state::pending; ///< submit_task: of the task
  std::vector<workflow::task> tasks; ///< claim_tasks: as stored, payloads and results included
  workflow::instant next =
    workflow::never; ///< claim_tasks: when the next waiting task becomes claimable; purge_ended: when
                     ///< the next task is too old
  bool more = false; ///< free_locks, purge_ended, act_on_incident: there are more to have now; claim_tasks: likewise,
                     ///< though perhaps only of workflows that have their share
  ended_position reached; ///< purge_ended: where the next one goes on
};

// ---- what can be read ----

struct task_filter {
  std::vector<workflow::process_state> states; ///< empty: all
  std::string workflow;                        ///< empty: all
  std::string locked_by;
  std::string text;  ///< part of the id or of the cause
  std::string agent; ///< workflow::is_at_agent
  workflow::instant submitted_before = workflow::never;
  workflow::instant submitted_after = workflow::unset;
  workflow::instant ended_before = workflow::never; ///< this and the next: only tasks that have ended
  workflow::instant ended_after = workflow::unset;
  std::string step;  ///< workflow::stands_at
  std::string cause; ///< generalized as incidents' causes are (workflow/transition/incident.hpp), it is the same
  std::vector<workflow::payload_value> payload; ///< all must hold; of tasks whose workflow has an index on these places
};
/// One page of tasks in order of their numbers, newest first, unless another order was asked for; payloads and large
/// results are left out.
struct task_page {
  std::vector<workflow::task> tasks;
  std::optional<std::uint64_t> next; ///< give it as `before` for the next page
  std::string next_key;              ///< with another order: give it too
};
struct lease {
  std::string name;
  std::string holder;
  std::string note;
  std::uint64_t epoch = 0;
  workflow::instant expires_at; ///< unset: released
};
struct alert_entry {
  std::uint64_t number = 0;
  std::uint64_t task_number = 0;
  std::string task_id;
  workflow::alert what;
  std::string acknowledged_by;
  workflow::instant acknowledged_at;
};
/// Who acknowledged an alert whose task has moved on, and one of a condition that does not hold any more.
inline constexpr const char* moved_on = "(its task moved on)";
inline constexpr const char* is_over = "(it is over)";

/// All alerts with the same signature, for as long as one of them holds.
struct incident {
  std::uint64_t number = 0;
  workflow::incident_signature what;
  std::uint64_t tasks = 0;      ///< that it affects now
  std::uint64_t alerts = 0;     ///< that hold now
  std::uint64_t tasks_ever = 0; ///< that it affected since it began; a task that came twice counts twice
  std::uint32_t times = 1;      ///< that it began, within an hour of its last end
  bool is_condition = false;    ///< made by report_conditions
  workflow::instant first_at;   ///< of its alerts
  workflow::instant last_at;    ///< likewise
  workflow::instant closed_at;  ///< unset: it is open
  std::string sample_task;      ///< the first one; empty when it is about no task
  std::string sample_text;      ///< of the first alert, as it was told; of a condition: as it is told now
  std::string acknowledged_by;
  workflow::instant acknowledged_at;
  workflow::instant muted_until;   ///< unset: it is not muted; never: until a person unmutes it
  std::vector<workflow::act> acts; ///< what persons did and noted; at most incident_acts_max, the newest
};
inline constexpr std::size_t incident_acts_max = 32;
inline constexpr std::size_t incidents_kept = 1000; ///< above that, the oldest that are closed leave

struct incident_page {
  std::vector<incident> incidents;   ///< the newest first
  std::optional<std::uint64_t> next; ///< give it as `before` for the next page
};

struct bulk_page {
  std::vector<workflow::bulk_act> acts;         ///< the newest first
  std::optional<std::uint64_t> next;            ///< give it as `before` for the next page
  std::vector<workflow::bulk_refusal> refusals; ///< of one that was asked for by its number: by task, the newest first
};

struct alert_filter {
  bool open_only = true;
  std::uint64_t incident = 0; ///< only those of it that hold; 0: all
  std::string kind;           ///< empty: all
  std::string step;
  std::string task; ///< its id
  std::string text; ///< part of the text
  workflow::instant raised_before = workflow::never;
  workflow::instant raised_after = workflow::unset;
};
struct alert_list {
  std::vector<alert_entry> alerts;   ///< the newest first
  std::optional<std::uint64_t> next; ///< give it as `before` for the next page
};

struct notice_entry {
  std::string observer;
  std::uint64_t task_number = 0;
  std::string task_id;
  workflow::notice what;
};
struct late_reply_entry {
  std::uint64_t task_number = 0;
  std::string task_id;
  workflow::late_reply what;
};
struct store_stats {
  std::map<workflow::process_state, std::uint64_t> tasks;
  std::uint64_t claimable = 0;
  std::uint64_t open_alerts = 0;
  std::uint64_t bytes_used = 0;
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_max = 0;
  std::uint64_t last_number = 0;
  std::uint64_t tasks_purged = 0;                     ///< ended tasks that were purged; they are not among `tasks`
  std::uint64_t bytes_reserve = 0;                    ///< of bytes_max, kept for work that was accepted
  std::uint64_t disk_free = 0;                        ///< bytes, of the file system that the store is on
  std::uint64_t disk_size = 0;                        ///< likewise; 0: not known
  std::map<std::string, workflow::endings> endings{}; ///< by workflow
};
/// Result of reading every record and index.
struct check_report {
  std::uint64_t records = 0;
  std::uint64_t tasks = 0;
  std::vector<std::string> faults; ///< empty: all is well
};

/// The durable store: domain verbs, synchronous. One thread writes, any thread reads; a read sees one consistent
/// snapshot with all that was committed before, and does not hold up the writer.
class state_store {
public:
  virtual ~state_store() = default;

  /// One durable transaction: on return it is synced, and outcome i tells of write i, each judged on its own in order,
  /// seeing those before it. Throws store_error; if that is not fatal, nothing was written.
  virtual std::vector<outcome> commit(const write_list& batch) = 0;
  std::vector<outcome> commit(const std::vector<write>& batch);
  /// For one thread that alone commits from now on: what is cheaper once for several commits may wait until it calls
  /// save(): after a while, and soon after `wake` was called, on any thread, as a read waits. What was committed is
  /// durable without it. share() throws store_error if each commit must be saved by itself; save() only a fatal one.
  virtual void share(std::function<void()> /*wake*/) {}
  virtual void save() {}

  /// Payload and results included. A task whose records do not check is reported by `damaged()` and not returned.
  virtual std::optional<workflow::task> find(const std::string& id) const = 0;
  virtual std::optional<workflow::task> find(std::uint64_t number) const = 0;
  /// What is wrong with a task that was set aside, or will be. Absent: there is no task of that id, or nothing is.
  virtual std::optional<std::string> damage_of(const std::string& id) const = 0;
  virtual task_page list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const = 0;
  /// Number of tasks that match, counted up to `limit`.
  virtual std::size_t count(const task_filter& filter, std::size_t limit) const = 0;
  /// The same in parts that take some milliseconds each, with a snapshot each.
  struct tally {
    std::size_t matched = 0;
    std::optional<std::uint64_t> next; ///< give it as `before` for the next part
  };
  virtual tally count_part(const task_filter& filter, std::optional<std::uint64_t> before) const = 0;
  /// The same, and hands each task that matches to `use`, with its definition; without payloads and large results.
  using task_visitor = std::function<void(workflow::task&&, const workflow::definition&)>;
  virtual tally visit_part(const task_filter& filter, std::optional<std::uint64_t> before,
                           const task_visitor& use) const = 0;
  /// Tasks whose next_due has come, oldest due first, after the cursor (due, number); payloads left out.
  struct due_page {
    std::vector<workflow::task> tasks;
    std::optional<std::pair<workflow::instant, std::uint64_t>> next;
  };
  virtual due_page overdue(workflow::instant now, std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                           std::size_t max) const = 0;
  virtual std::optional<workflow::definition> find_definition(const std::string& name, std::uint32_t version) const = 0;
  virtual std::vector<workflow::definition> definitions() const = 0;
  virtual std::vector<lease> leases() const = 0;
  virtual std::vector<alert_entry> alerts(bool open_only, std::size_t max) const = 0;
  /// At most `max`; looks at a bounded number of others on the way, so that a page may be empty and not the last.
  virtual alert_list find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                                 std::size_t max) const = 0;
  virtual incident_page incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const = 0;
  virtual std::optional<incident> find_incident(std::uint64_t number) const = 0;
  virtual bulk_page bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const = 0;
  /// With the refusals that are kept of it; an empty page if there is none.
  virtual bulk_page find_bulk_act(std::uint64_t number) const = 0;
  /// The observer's notices not yet acknowledged, by task and sequence, after the given position.
  virtual std::vector<notice_entry> notices(const std::string& observer, std::uint64_t after_number,
                                            std::uint32_t after_sequence, std::size_t max) const = 0;
  virtual std::vector<late_reply_entry> late_replies(std::optional<std::uint64_t> task, std::size_t max) const = 0;
  /// Tasks that a read met and could not believe, with the reason; each is told once.
  virtual std::vector<set_aside_damaged> damaged() = 0;
  /// Absent: there is no such task, or its records do not check.
  virtual std::optional<exported_task> export_task(const std::string& id) const = 0;
  virtual store_stats stats() const = 0;
  virtual check_report check() const = 0;
  /// A consistent, compact copy, made beside the running store. The directory must not exist. Throws store_error.
  virtual void copy(const std::filesystem::path& to) const = 0;
};

} // namespace steadfast::store
