#pragma once

#include "actors/protocol/boxed.hpp"
#include "actors/protocol/speak.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

// Messages to the store, its reader, and whoever represents them on another node.

namespace steadfast::actors {

/// A write for the next commit. Answered by a write_done with the same ticket once the write is durable.
struct write_request {
  std::uint64_t ticket = 0;
  boxed<store::write> what;
  std::string holder; ///< with update_task: the scheduler that had it locked, which is told unless it is the sender
  workflow::clock_reading decided_by; ///< with update_task: when, and by which clock
};
STEADFAST_MESSAGE(write_request, x.ticket, x.what, x.holder, x.decided_by.now, x.decided_by.set_at)

struct write_requests {
  std::vector<write_request> all;
};
STEADFAST_MESSAGE(write_requests, x.all)

struct write_done {
  std::uint64_t ticket = 0;
  boxed<store::outcome> outcome;
  std::vector<boxed<workflow::definition>> definitions; ///< definitions of the tasks in the outcome
  bool is_by_other_clock = false; ///< not made, because it was decided by another clock than the store's: decide again
};
STEADFAST_MESSAGE(write_done, x.ticket, x.outcome, x.definitions, x.is_by_other_clock)

/// The results of one client's writes in one commit, in their order.
struct writes_done {
  std::vector<write_done> all;
  workflow::instant clock; ///< the clock that the store used: when it was set; unset: the store did not answer
};
STEADFAST_MESSAGE(writes_done, x.all, x.clock)

/// From now on the sender gets store_news; a scheduler is also told which of its tasks were changed by others.
struct subscribe {
  std::string scheduler;  ///< empty: not a scheduler
  bool bulk_only = false; ///< only tell when a bulk act has begun
};
STEADFAST_MESSAGE(subscribe, x.scheduler, x.bulk_only)
/// In place of a scheduler: the sender is told of all tasks that change, in `changed`, and of no work. News without any
/// content mean that from here on no change is left out; news with `work`, `review` and `notices` mean that any task
/// may have changed. An older node takes the name for a scheduler that claims nothing.
inline constexpr const char* every_task = "*";

/// What a commit brought, for all who are interested. Losing one does no harm.
struct store_news {
  bool work = false;                  ///< there is something to claim
  bool is_offered = false;            ///< with work: another scheduler, which has less in flight, was offered it first
  bool review = false;                ///< there is something for the supervisor
  bool notices = false;               ///< there is progress to deliver
  std::vector<std::uint64_t> changed; ///< tasks of this scheduler that somebody else changed
  bool bulk = false;                  ///< a bulk act has begun
};
STEADFAST_MESSAGE(store_news, x.work, x.is_offered, x.review, x.notices, x.changed, x.bulk)

/// Asks for a task by its number.
struct find_task {
  std::uint64_t number = 0;
};
STEADFAST_MESSAGE(find_task, x.number)

/// Asks for tasks whose time has come, after a position of the deadline index.
struct find_overdue {
  workflow::instant now;
  workflow::instant after_due;
  std::uint64_t after_number = 0;
  std::uint32_t max = 0;
};
STEADFAST_MESSAGE(find_overdue, x.now, x.after_due, x.after_number, x.max)

struct overdue_page {
  std::vector<boxed<workflow::task>> tasks;
  std::vector<boxed<workflow::definition>> definitions; ///< definitions of the tasks
  bool more = false;
  workflow::instant next_due; ///< position from which to go on
  std::uint64_t next_number = 0;
};
STEADFAST_MESSAGE(overdue_page, x.tasks, x.definitions, x.more, x.next_due, x.next_number)

/// Asks for progress that was not acknowledged yet, the oldest tasks first.
struct find_notices {
  std::string observer;
  std::uint32_t max = 0;
};
STEADFAST_MESSAGE(find_notices, x.observer, x.max)

/// Asks for all leases: who supervises, which nodes live.
struct list_leases {};
STEADFAST_MESSAGE(list_leases)

struct lease_page {
  std::vector<boxed<store::lease>> leases;
  workflow::instant now;         ///< by the clock of the store's node, which decides when leases end
  workflow::instant store_since; ///< when the store was opened, or took writes again
};
STEADFAST_MESSAGE(lease_page, x.leases, x.now, x.store_since)

struct list_alerts {
  bool open_only = true;
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_alerts, x.open_only, x.max)

struct alert_page {
  std::vector<boxed<store::alert_entry>> alerts;
};
STEADFAST_MESSAGE(alert_page, x.alerts)

/// Asks for alerts that match and have a lower number than `before`, the newest first.
struct find_alerts {
  boxed<store::alert_filter> filter;
  std::uint64_t before = 0; ///< 0: the newest
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(find_alerts, x.filter, x.before, x.max)

/// Asks for incidents, the newest first; answered with one page.
struct list_incidents {
  std::uint64_t number = 0; ///< only the one with this number; 0: all
  bool open_only = true;
  std::uint64_t before = 0; ///< 0: the newest
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_incidents, x.number, x.open_only, x.before, x.max)

/// Asks for bulk acts, the newest first; answered with one page.
struct list_bulk_acts {
  std::uint64_t number = 0; ///< only the one with this number, with its refusals; 0: all
  bool open_only = true;
  std::uint64_t before = 0; ///< 0: the newest
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_bulk_acts, x.number, x.open_only, x.before, x.max)

/// Asks for schedules in order of their names, those after a name.
struct list_schedules {
  std::string name;  ///< only the one of this name; empty: all
  std::string after; ///< empty: from the first
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_schedules, x.name, x.after, x.max)

struct schedule_page {
  std::vector<boxed<workflow::schedule_state>> schedules;
};
STEADFAST_MESSAGE(schedule_page, x.schedules)

/// Asks for kept events, in order of name, key and number, those after a place.
struct list_events {
  std::string name;  ///< empty: all
  std::string key;   ///< with a name
  std::string task;  ///< with a name, in place of the key: those for this task alone
  std::string after; ///< empty: from the first
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_events, x.name, x.key, x.task, x.after, x.max)

/// Asks what the task waits for because of the limit of its workflow.
struct find_limit_queue {
  std::uint64_t number = 0;
};
STEADFAST_MESSAGE(find_limit_queue, x.number)

/// store::limit_queue
struct limit_queue {
  bool is_waiting = false;
  std::vector<std::string> holders;
  std::uint64_t before = 0;
  workflow::instant free_at{};
};
STEADFAST_MESSAGE(limit_queue, x.is_waiting, x.holders, x.before, x.free_at)

/// Asks what an undo has to do with the items of a step of the task with that number.
struct find_items_undo {
  std::uint64_t number = 0;
  std::uint32_t step = 0;
};
STEADFAST_MESSAGE(find_items_undo, x.number, x.step)

/// store::items_undo; all zero: the step has begun no items.
struct items_undo {
  std::uint32_t tasks = 0;
  std::vector<std::uint32_t> first;
  std::uint32_t first_under_way = 0;
  std::uint32_t first_in_error = 0;
};
STEADFAST_MESSAGE(items_undo, x.tasks, x.first, x.first_under_way, x.first_in_error)

struct list_workflows {};
STEADFAST_MESSAGE(list_workflows)

struct workflow_page {
  std::vector<boxed<workflow::definition>> definitions;
};
STEADFAST_MESSAGE(workflow_page, x.definitions)

/// Asks for the newest late replies of all tasks.
struct list_late_replies {
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_late_replies, x.max)

struct late_reply_page {
  std::vector<boxed<store::late_reply_entry>> late_replies;
};
STEADFAST_MESSAGE(late_reply_page, x.late_replies)

/// Asks for the number of tasks that match, counted only up to `limit`.
struct count_tasks {
  boxed<store::task_filter> filter;
  std::uint64_t limit = 0;
  std::uint8_t by = 0; ///< workflow::task_grouping
};
STEADFAST_MESSAGE(count_tasks, x.filter, x.limit, x.by)

/// Tasks that have something in common.
struct task_group {
  std::string name; ///< workflow::group_of
  std::uint64_t count = 0;
  std::vector<std::uint64_t> states; ///< how many are in each state, by the number of the state
  workflow::instant oldest;          ///< when the oldest was submitted
  workflow::instant newest;
};
STEADFAST_MESSAGE(task_group, x.name, x.count, x.states, x.oldest, x.newest)

struct task_count {
  std::uint64_t count = 0;
  std::vector<task_group> groups{}; ///< the largest first; at most task_groups_max
  std::uint64_t in_no_group = 0;    ///< tasks of further groups
};
STEADFAST_MESSAGE(task_count, x.count, x.groups, x.in_no_group)
inline constexpr std::size_t task_groups_max = 1000;

/// Asks for the store's figures.
struct show_stats {};
STEADFAST_MESSAGE(show_stats)

} // namespace steadfast::actors
