#pragma once

#include "actors/boxed.hpp"
#include "actors/report_kind.hpp"
#include "actors/speak.hpp"
#include "store/state_store.hpp"
#include "workflow/event.hpp"
#include "workflow/task.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace steadfast::actors {

/// A handler of messages whose elements lie in `all`, that hands each of them to `f`. `Message` is const for who only looks.
template <class Message, class F>
auto one_by_one(F f) {
  return [f](Message& m) {
    for (auto& x : m.all)
      f(x);
  };
}

// ---- between scheduler and agents ----

/// Carry out one attempt, until complete_by, then be silent.
struct step_order {
  std::uint64_t task_number = 0;
  std::string task_id;
  std::string workflow;
  std::uint32_t step = 0;
  std::string step_name;
  workflow::attempt_action action = workflow::attempt_action::perform;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string key;      ///< idempotency key of this action
  std::string reverses; ///< with undo and probe: the key of the step it is about
  std::string input;    ///< bytes, JSON unless the payload is not
  workflow::instant complete_by;
  workflow::instant clock; ///< that complete_by is told by: when it was set
};
STEADFAST_MESSAGE(step_order, x.task_number, x.task_id, x.workflow, x.step, x.step_name, x.action, x.attempt, x.epoch,
                  x.key, x.reverses, x.input, x.complete_by, x.clock)

struct step_orders {
  std::vector<step_order> all;
};
STEADFAST_MESSAGE(step_orders, x.all)

/// The attempt is not wanted any more: stop and report `stopped`.
struct stop_order {
  std::uint64_t task_number = 0;
  std::uint32_t step = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
};
STEADFAST_MESSAGE(stop_order, x.task_number, x.step, x.attempt, x.epoch)

/// How an attempt ended. At most one per order, never after its complete_by.
struct attempt_report {
  std::uint64_t task_number = 0;
  std::uint32_t step = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  report_kind kind = report_kind::succeeded;
  bool maybe_done = true;        ///< with failed_* and stopped: the remote side may have acted; false when it refused
  workflow::span retry_after{0}; ///< with failed_transient and declined
  std::string result;            ///< with succeeded
  std::string why;
};
STEADFAST_MESSAGE(attempt_report, x.task_number, x.step, x.attempt, x.epoch, x.kind, x.maybe_done, x.retry_after,
                  x.result, x.why)

struct attempt_reports {
  std::vector<attempt_report> all;
};
STEADFAST_MESSAGE(attempt_reports, x.all)

/// What an agent shows of itself.
struct agent_view {
  std::string name;
  std::string kind;                     ///< "function", "http", "exec"
  std::string circuit;                  ///< "closed", "open", "half-open"
  workflow::instant circuit_open_until; ///< never: a person holds it open
  std::string held_open_by;             ///< who, and why
  bool draining = false;
  std::uint32_t in_flight = 0;
  std::uint32_t in_flight_max = 0;
  std::uint32_t queued = 0;
  std::uint64_t orders = 0;
  std::uint64_t tries = 0; ///< calls made, repetitions inside an attempt included
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t declined = 0;
  std::uint64_t silenced = 0;  ///< attempts over complete_by
  std::uint64_t refused = 0;   ///< orders under an epoch that was not the highest any more
  std::uint32_t abandoned = 0; ///< of in_flight: calls nobody waits for any more, which still hold their place
};
STEADFAST_MESSAGE(agent_view, x.name, x.kind, x.circuit, x.circuit_open_until, x.held_open_by, x.draining, x.in_flight,
                  x.in_flight_max, x.queued, x.orders, x.tries, x.succeeded, x.failed, x.declined, x.silenced,
                  x.refused, x.abandoned)

// ---- with the store ----

/// A write for the next commit; answered by a write_done with the same ticket once it is durable.
struct write_request {
  std::uint64_t ticket = 0;
  boxed<store::write> what;
  std::string holder; ///< with update_task: the scheduler that had it locked, to be told when it is not the sender
  workflow::clock_reading judged; ///< with update_task: when, and by which clock
};
STEADFAST_MESSAGE(write_request, x.ticket, x.what, x.holder, x.judged.now, x.judged.set_at)

struct write_requests {
  std::vector<write_request> all;
};
STEADFAST_MESSAGE(write_requests, x.all)

struct write_done {
  std::uint64_t ticket = 0;
  boxed<store::outcome> outcome;
  std::vector<boxed<workflow::definition>> definitions; ///< those of outcome->tasks
};
STEADFAST_MESSAGE(write_done, x.ticket, x.outcome, x.definitions)

/// What became of the writes of one client that one commit took, in their order.
struct writes_done {
  std::vector<write_done> all;
  workflow::instant clock; ///< that the store went by: when it was set; unset: the store did not answer
};
STEADFAST_MESSAGE(writes_done, x.all, x.clock)

/// From now on the sender hears of news; as a scheduler it is told which of its tasks others changed.
struct subscribe {
  std::string scheduler; ///< empty: not a scheduler
};
STEADFAST_MESSAGE(subscribe, x.scheduler)

/// What a commit brought, for whom it may concern. Losing one does no harm.
struct store_news {
  bool work = false;                  ///< there is something to claim
  bool review = false;                ///< there is something for the supervisor
  bool notices = false;               ///< there is progress to deliver
  std::vector<std::uint64_t> changed; ///< tasks of this scheduler that somebody else changed
};
STEADFAST_MESSAGE(store_news, x.work, x.review, x.notices, x.changed)

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
  std::vector<boxed<workflow::definition>> definitions; ///< those of the tasks
  bool more = false;
  workflow::instant next_due; ///< position to go on from
  std::uint64_t next_number = 0;
};
STEADFAST_MESSAGE(overdue_page, x.tasks, x.definitions, x.more, x.next_due, x.next_number)

/// Asks for progress not yet acknowledged, the oldest tasks' first.
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
  workflow::instant now;         ///< by the clock of the store's node, which judges leases
  workflow::instant store_since; ///< when the store was opened
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

/// Asks for the number of tasks that match, counted up to `limit`.
struct count_tasks {
  boxed<store::task_filter> filter;
  std::uint64_t limit = 0;
};
STEADFAST_MESSAGE(count_tasks, x.filter, x.limit)

struct task_count {
  std::uint64_t count = 0;
};
STEADFAST_MESSAGE(task_count, x.count)

/// Asks for the store's figures.
struct show_stats {};
STEADFAST_MESSAGE(show_stats)

struct store_view {
  std::uint64_t commits = 0;
  std::uint64_t writes = 0;
  std::uint64_t largest_batch = 0;
  std::uint64_t waiting = 0; ///< writes queued for the next commit
  std::uint64_t last_commit_us = 0;
};
STEADFAST_MESSAGE(store_view, x.commits, x.writes, x.largest_batch, x.waiting, x.last_commit_us)

// ---- with clients and people ----

/// Answer to a submission; durable when it arrives.
struct receipt {
  std::string id; ///< of the submission
  store::verdict result = store::verdict::refused;
  bool created = false; ///< false: the task was already there
  std::uint64_t number = 0;
  workflow::process_state state = workflow::process_state::pending;
  workflow::span retry_after{0}; ///< with full
  std::string why;
};
STEADFAST_MESSAGE(receipt, x.id, x.result, x.created, x.number, x.state, x.retry_after, x.why)

/// Of a submission that is not known to be stored.
inline receipt receipt_without_task(std::string id, store::verdict result, std::string why,
                                    workflow::span retry_after = {}) {
  return {std::move(id), result, false, 0, {}, retry_after, std::move(why)};
}

struct show_task {
  std::string id;
};
STEADFAST_MESSAGE(show_task, x.id)

struct task_view {
  boxed<workflow::task> task; ///< empty: there is none of that id
  boxed<workflow::definition> definition;
  std::vector<boxed<store::late_reply_entry>> late_replies;
  workflow::instant clock; ///< of the store's node when it was read: when it was set
};
STEADFAST_MESSAGE(task_view, x.task, x.definition, x.late_replies, x.clock)

struct list_tasks {
  boxed<store::task_filter> filter;
  std::uint64_t before = 0; ///< 0: the newest
  std::uint32_t max = 100;
};
STEADFAST_MESSAGE(list_tasks, x.filter, x.before, x.max)

enum class task_act : std::uint8_t { retry = 1, skip = 2, edit = 3, undo = 4, cancel = 5, suspend = 6, resume = 7 };

struct act_on_task {
  std::string id;
  task_act act = task_act::retry;
  std::string step;     ///< with skip; with retry optional: every step that failed
  std::string document; ///< with skip: the result; with edit: the payload
  bool new_key = false; ///< with retry
  std::string who;
  std::string why;
};
STEADFAST_MESSAGE(act_on_task, x.id, x.act, x.step, x.document, x.new_key, x.who, x.why)

struct act_result {
  bool done = false;
  std::string why; ///< when not done
  workflow::process_state state = workflow::process_state::pending;
};
STEADFAST_MESSAGE(act_result, x.done, x.why, x.state)

/// From now on the sender gets this observer's progress, beginning with what was not acknowledged.
struct observe {
  std::string observer;
};
STEADFAST_MESSAGE(observe, x.observer)

/// Told at least once, in order per task, until acknowledged.
struct progress {
  std::string observer;
  std::uint64_t task_number = 0;
  std::string task_id;
  std::uint32_t sequence = 0;
  std::uint8_t kind = 0; ///< workflow::notice_kind
  std::string step;
  std::string text;
  workflow::instant at;
};
STEADFAST_MESSAGE(progress, x.observer, x.task_number, x.task_id, x.sequence, x.kind, x.step, x.text, x.at)

struct notice_page {
  std::vector<progress> notices;
};
STEADFAST_MESSAGE(notice_page, x.notices)

struct progress_seen {
  std::string observer;
  std::uint64_t task_number = 0;
  std::uint32_t sequence = 0;
};
STEADFAST_MESSAGE(progress_seen, x.observer, x.task_number, x.sequence)

// ---- inspection and control of a node's own actors ----

/// Asks an actor for its view of itself.
struct describe {};
STEADFAST_MESSAGE(describe)

/// Asks an actor for what it works with, as a tree.
struct inspect_state {
  std::uint32_t listed_max = 20; ///< entries of each list
};
STEADFAST_MESSAGE(inspect_state, x.listed_max)

struct actor_state {
  std::string summary;    ///< a few words
  std::uint64_t open = 0; ///< tasks or calls in hand
  std::string tree;       ///< a JSON object; a list that was cut ends with how many more there are
};
STEADFAST_MESSAGE(actor_state, x.summary, x.open, x.tree)

/// What passes through an actor's mailbox.
struct mailbox_view {
  std::uint64_t waiting = 0; ///< messages not handled yet
  std::uint64_t handled = 0; ///< since the actor began
  double per_second = 0;     ///< handled, over the last seconds
  std::string last_message;  ///< the type of the one being handled, or of the last
  std::uint64_t last_took_us = 0;
  workflow::span busy_for{0}; ///< with the message being handled; 0: it waits for one
};
STEADFAST_MESSAGE(mailbox_view, x.waiting, x.handled, x.per_second, x.last_message, x.last_took_us, x.busy_for)

struct actor_view {
  std::string id; ///< "kind@node" or "kind:name@node"; the same after a restart
  std::string kind;
  std::string node;
  mailbox_view mailbox;
  bool answers = false; ///< false: it did not within the limit, and there is no state
  actor_state state;
};
STEADFAST_MESSAGE(actor_view, x.id, x.kind, x.node, x.mailbox, x.answers, x.state)

/// Asks a node for its actors, with their states in short.
struct list_actors {
  std::string kind; ///< empty: all
};
STEADFAST_MESSAGE(list_actors, x.kind)

struct actor_page {
  std::vector<actor_view> actors;
};
STEADFAST_MESSAGE(actor_page, x.actors)

/// Asks a node for one of its actors.
struct find_actor {
  std::string id;
  std::uint32_t listed_max = 20;
};
STEADFAST_MESSAGE(find_actor, x.id, x.listed_max)

/// Stop taking work, finish what is in flight until the limit, give the rest back, then answer.
struct drain {
  workflow::span limit{0};
};
STEADFAST_MESSAGE(drain, x.limit)

struct drained {
  std::uint64_t finished = 0;
  std::uint64_t given_back = 0;
};
STEADFAST_MESSAGE(drained, x.finished, x.given_back)

/// A person wants a node to do no more work, until it is started anew: its scheduler and its agents are drained, and others
/// take over what it holds leases for.
struct drain_node {
  workflow::span limit{0};
};
STEADFAST_MESSAGE(drain_node, x.limit)

/// A person's word on an agent's circuit: open until it is closed again, or closed.
struct set_circuit {
  bool open = false;
  std::string who;
  std::string why;
};
STEADFAST_MESSAGE(set_circuit, x.open, x.who, x.why)

struct scheduler_view {
  std::string name;
  std::uint32_t in_flight = 0;
  std::uint32_t in_flight_max = 0;
  std::uint64_t claimed = 0;
  std::uint64_t dispatched = 0;
  std::uint64_t late = 0;
  bool draining = false;
};
STEADFAST_MESSAGE(scheduler_view, x.name, x.in_flight, x.in_flight_max, x.claimed, x.dispatched, x.late, x.draining)

struct supervisor_view {
  bool active = false; ///< holds the lease
  std::uint64_t epoch = 0;
  std::uint64_t sweeps = 0;
  std::uint64_t reviewed = 0;
  std::uint64_t decided = 0;
  std::uint64_t stuck = 0; ///< tasks found that nobody would have gone on with
  workflow::instant last_sweep;
  workflow::instant last_survey;
};
STEADFAST_MESSAGE(supervisor_view, x.active, x.epoch, x.sweeps, x.reviewed, x.decided, x.stuck, x.last_sweep,
                  x.last_survey)

/// What a lease guards may act under this epoch, or must stop (epoch 0).
struct lease_changed {
  std::string name;
  std::uint64_t epoch = 0;
};
STEADFAST_MESSAGE(lease_changed, x.name, x.epoch)

/// The guarded work went round once: without it the lease is not renewed.
struct lease_progress {
  std::string name;
};
STEADFAST_MESSAGE(lease_progress, x.name)

// ---- between nodes ----

/// The first message to a node; answered by its node_offer.
struct hello {};
STEADFAST_MESSAGE(hello)

/// Asks for the time, to follow the clock of the store's node.
struct ask_time {};
STEADFAST_MESSAGE(ask_time)

struct told_time {
  workflow::instant now;
  workflow::instant set_at; ///< names the clock
  bool drained = false;     ///< the node's agents are not to be used any more
};
STEADFAST_MESSAGE(told_time, x.now, x.set_at, x.drained)

/// Makes a connection to a node.
struct dial {
  std::string address; ///< host:port
};
STEADFAST_MESSAGE(dial, x.address)

/// What a node shows of one of the others.
struct peer_view {
  std::string node; ///< empty: not known yet
  std::string address;
  bool connected = false;
  std::string trouble; ///< why it is not connected
};
STEADFAST_MESSAGE(peer_view, x.node, x.address, x.connected, x.trouble)

struct member_page {
  std::vector<peer_view> peers;
};
STEADFAST_MESSAGE(member_page, x.peers)

// ---- what an actor tells itself ----

/// The next of its deadlines has come; `generation` tells a stale one.
struct tick_timer {
  std::uint64_t generation = 0;
};
STEADFAST_MESSAGE(tick_timer, x.generation)

/// Carry out the commit that was put off until the mailbox had been read.
struct flush {};
STEADFAST_MESSAGE(flush)

/// To itself, after a while, or from a read that waits for it: save what was committed.
struct save_commits {
  bool is_due = false;
};
STEADFAST_MESSAGE(save_commits, x.is_due)

} // namespace steadfast::actors
