#pragma once

#include "store/contract/write.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/definition/payload_index.hpp"
#include "workflow/on_call/bulk_act.hpp"
#include "workflow/on_call/incident.hpp"
#include "workflow/schedule/schedule_state.hpp"
#include "workflow/supervision/conditions.hpp"
#include "workflow/supervision/retention.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/endings.hpp"
#include "workflow/task/task.hpp"
#include "workflow/transition/command.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::store {

/// The environment failed: the disk, the map or the file. After an error that `is_fatal` the process must stop acting:
/// what is on disk is known only after the store has been opened again.
class store_error : public std::runtime_error {
public:
  store_error(const std::string& what, bool fatal) : std::runtime_error{what}, fatal_{fatal} {}
  bool is_fatal() const { return fatal_; }

private:
  bool fatal_;
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
  workflow::instant ended_before = workflow::never; ///< this field and the next: only tasks that have ended
  workflow::instant ended_after = workflow::unset;
  std::string step;  ///< workflow::current_step
  std::string cause; ///< the same, once generalized like the causes of incidents (workflow/on_call/incident.hpp)
  std::vector<workflow::payload_value> payload; ///< all must match; only tasks whose workflow has an index on them
};
/// One page of tasks. They are in order of their numbers, newest first, unless another order was asked for. Payloads
/// and large results are left out.
struct task_page {
  std::vector<workflow::task> tasks;
  std::optional<std::uint64_t> next; ///< pass it as `before` to get the next page
  std::string next_key;              ///< with another order: pass this too
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
/// In place of the person who acknowledged: for an alert whose task has moved on, and for a condition that is over.
inline constexpr const char* moved_on = "(its task moved on)";
inline constexpr const char* is_over = "(it is over)";

/// All alerts with the same signature, for as long as one of them holds.
struct incident {
  std::uint64_t number = 0;
  workflow::incident_signature what;
  std::uint64_t tasks = 0;      ///< that it affects now
  std::uint64_t alerts = 0;     ///< that hold now
  std::uint64_t tasks_ever = 0; ///< that it has affected since it began; a task that came back to it is counted twice
  std::uint32_t times = 1;      ///< how often it began, each time within an hour of its last end
  bool is_condition = false;    ///< made by report_conditions
  workflow::instant first_at;   ///< time of its first alert since it began, or began again
  workflow::instant last_at;    ///< time of its last alert
  workflow::instant closed_at;  ///< unset: it is open
  std::string sample_task;      ///< the first affected task; empty when it is about no task
  std::string sample_text;      ///< text of the first alert as it was raised; of a condition: its current text
  std::string acknowledged_by;
  workflow::instant acknowledged_at;
  workflow::instant muted_until;   ///< unset: it is not muted; never: until a person unmutes it
  std::vector<workflow::act> acts; ///< what persons did and noted; at most incident_acts_max, the newest
};
inline constexpr std::size_t incident_acts_max = 32;
inline constexpr std::size_t incidents_kept = 1000; ///< when there are more, the oldest closed ones are removed

struct incident_page {
  std::vector<incident> incidents;   ///< the newest first
  std::optional<std::uint64_t> next; ///< pass it as `before` to get the next page
};

struct bulk_page {
  std::vector<workflow::bulk_act> acts;         ///< the newest first
  std::optional<std::uint64_t> next;            ///< pass it as `before` to get the next page
  std::vector<workflow::bulk_refusal> refusals; ///< of an act that was asked for by its number: by task, newest first
};

struct alert_filter {
  bool open_only = true;
  std::uint64_t incident = 0; ///< only the alerts of this incident that still hold; 0: all
  std::string kind;           ///< empty: all
  std::string step;
  std::string task; ///< its id
  std::string text; ///< part of the text
  workflow::instant raised_before = workflow::never;
  workflow::instant raised_after = workflow::unset;
};
struct alert_list {
  std::vector<alert_entry> alerts;   ///< the newest first
  std::optional<std::uint64_t> next; ///< pass it as `before` to get the next page
};

/// What a task waits for that has not begun because of the limit of its workflow.
struct limit_queue {
  std::vector<std::string> holders; ///< ids of tasks under way with the same key; at most limit_holders_shown
  std::uint64_t before = 0;         ///< waiting tasks with the same key that come before it; at most limit_before_max
  workflow::instant free_at{};      ///< when the first place kept by an ended task is free; unset: none is kept
};
inline constexpr std::size_t limit_holders_shown = 10;
inline constexpr std::uint64_t limit_before_max = 10'000;

/// What an undo has to do with the items of a step. Items are named as by workflow::parent_link::item.
struct items_undo {
  std::uint32_t tasks = 0;          ///< so many tasks of items are undone, or fewer if some of them never had an effect
  std::vector<std::uint32_t> first; ///< those that are undone first, in this order; at most items_undo_shown
  /// The first that was told to undo what it did, is not done and not in error; as long as none is told, the first that
  /// has not ended.
  std::uint32_t first_under_way = 0;
  std::uint32_t first_in_error = 0; ///< the first whose undo a person must help; 0: there is none
};
inline constexpr std::size_t items_undo_shown = 10;

/// An event from outside, kept for the tasks that wait for it now or later.
struct kept_event {
  std::uint64_t number = 0; ///< in the order in which they came
  std::string name;
  std::string key;
  std::string task; ///< the id of the one task that it is for; then it has no key
  std::string id;   ///< given by its sender; empty: none
  std::string who;
  workflow::instant at;
  workflow::instant expires_at;
  std::uint64_t data_size = 0; ///< bytes
};
struct event_filter {
  std::string name; ///< empty: all
  std::string key;  ///< only with a name, and not together with `task`; empty: all
  std::string task;
};
struct event_page {
  std::vector<kept_event> events; ///< by name, key and number
  std::string next;               ///< pass it as `after` to get the next page; empty: this was the last
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
struct store_counts {
  std::map<workflow::process_state, std::uint64_t> tasks;
  std::uint64_t claimable = 0;
  std::uint64_t open_alerts = 0;
  std::uint64_t last_number = 0;  ///< number of the newest task of the whole store: how many there ever were
  std::uint64_t tasks_purged = 0; ///< ended tasks that were purged; they are not among `tasks`
  std::map<std::string, workflow::endings> endings{}; ///< by workflow
  /// Since when the oldest of the claimable tasks could have been taken; later than now: none could. Another node is
  /// always told `never`.
  workflow::instant ready_since = workflow::never;
  /// Number of the newest task in each partition, if the store has several; not sent to another node.
  std::vector<std::uint64_t> last_numbers{};
  /// Tasks that are neither processed nor undone, by workflow and state. Nothing: those that were there when the store
  /// was opened are not all counted yet, which each call goes on with, or the store is read only. Not sent to another
  /// node.
  std::optional<std::map<std::string, std::map<workflow::process_state, std::uint64_t>>> unfinished{};
};
/// Result of reading every record and index.
struct check_report {
  std::uint64_t records = 0;
  std::uint64_t tasks = 0;
  std::vector<std::string> faults; ///< empty: all is well
};

/// The durable store: domain verbs, all of them synchronous. One thread writes, any thread reads. A read sees a
/// consistent snapshot of all that was committed before it, and does not hold up the writer.
class state_store {
public:
  virtual ~state_store() = default;

  /// One durable transaction: on return it is synced, and outcome i belongs to write i. Each write is decided on its
  /// own, in order, and sees those before it. Throws store_error; if that is not fatal, nothing was written.
  virtual std::vector<outcome> commit(const write_list& batch) = 0;
  std::vector<outcome> commit(const std::vector<write>& batch);
  /// Waits for the outcomes of a commit and returns them, or throws as commit() does. To be called once, by the thread
  /// that commits.
  using commit_end = std::function<std::vector<outcome>()>;
  /// commit() in two halves: while one commit is being made durable, the next batch can already be decided on the state
  /// that it would leave. If a commit fails, those after it fail too. Reads on other threads do not see a commit before
  /// it is durable. The writes must live until the commit has ended.
  virtual commit_end begin_commit(const write_list& batch);
  /// How many commits may have begun and not ended yet.
  virtual std::size_t commits_at_once() const { return 1; }
  /// A batch of one.
  template <class Write>
  answer<Write> commit_one(Write w) {
    return commit({write{std::move(w)}}).front().template to<Write>();
  }

  /// Payload and results included. A task whose records are damaged is not returned, but reported to whoever watches
  /// over the store.
  virtual std::optional<workflow::task> find(const std::string& id) const = 0;
  virtual std::optional<workflow::task> find(std::uint64_t number) const = 0;
  /// What is wrong with a task that was set aside, or will be. Absent: there is no such task, or nothing is wrong.
  virtual std::optional<std::string> damage_of(const std::string& id) const = 0;
  virtual task_page list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const = 0;
  /// Number of tasks that match, counted in parts of some milliseconds each; each part reads its own snapshot.
  struct tally {
    std::size_t matched = 0;
    std::optional<std::uint64_t> next; ///< pass it as `before` to get the next part
  };
  virtual tally count_part(const task_filter& filter, std::optional<std::uint64_t> before) const = 0;
  /// As count_part, but passes each task that matches to `use`, with its definition; no payloads, no large results.
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
  struct definition_place {
    std::string name;
    std::uint32_t version = 0;
  };
  /// The definitions after that place, by name and version: as many as have `steps_max` steps in all, but at least one.
  virtual std::vector<workflow::definition> definitions(const definition_place& after, std::size_t steps_max) const = 0;
  /// Each with its end by this clock (workflow::end_of); with {workflow::never}, with its end as it was given.
  virtual std::vector<lease> leases(const workflow::clock_reading& clock) const = 0;
  virtual std::vector<alert_entry> alerts(bool open_only, std::size_t max) const = 0;
  /// At most `max`. Looks at a bounded number of other alerts on the way, so an empty page need not be the last.
  virtual alert_list find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                                 std::size_t max) const = 0;
  virtual incident_page incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const = 0;
  virtual std::optional<incident> find_incident(std::uint64_t number) const = 0;
  virtual bulk_page bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const = 0;
  /// With the refusals that are kept for it; an empty page if there is no such act.
  virtual bulk_page find_bulk_act(std::uint64_t number) const = 0;
  /// In order of their names, those that come after the name `after`.
  virtual std::vector<workflow::schedule_state> schedules(const std::string& after, std::size_t max) const = 0;
  virtual std::optional<workflow::schedule_state> find_schedule(const std::string& name) const = 0;
  /// At most `max` events that have not expired. Looks at a bounded number of others on the way, so an empty page need
  /// not be the last.
  virtual event_page events(const event_filter& filter, workflow::instant now, const std::string& after,
                            std::size_t max) const = 0;
  /// Absent: the task waits for no place, or there is no such task.
  virtual std::optional<limit_queue> find_limit_queue(std::uint64_t number) const = 0;
  /// Absent: the step has begun no items, or there is no such task or step.
  virtual std::optional<items_undo> find_items_undo(std::uint64_t number, std::uint32_t step) const = 0;
  /// The observer's notices not yet acknowledged, by task and sequence, after the given position.
  virtual std::vector<notice_entry> notices(const std::string& observer, std::uint64_t after_number,
                                            std::uint32_t after_sequence, std::size_t max) const = 0;
  virtual std::vector<late_reply_entry> late_replies(std::optional<std::uint64_t> task, std::size_t max) const = 0;
  /// Absent: there is no such task, or its records are damaged.
  virtual std::optional<exported_task> export_task(const std::string& id) const = 0;
  virtual store_counts counts() const = 0;
  virtual check_report check() const = 0;
  /// To be called after a read: throws store_error if another process may own the store by now, and may have changed
  /// what was read.
  virtual void expect_newest() const {}
};

} // namespace steadfast::store
