#pragma once

// Every actor's interface: the page to read first.

#include "actors/protocol/messages.hpp"
#include "workflow/time/clock_offset.hpp"

#include <caf/typed_actor.hpp>

#include <string>
#include <vector>

namespace steadfast::actors {

// One message a line.
// clang-format off

/// Shows its state, from its mailbox: an actor that hangs does not answer.
using inspectable_actor = caf::typed_actor<takes<actor_state(inspect_state)>>;

/// Gets the reports of how attempts ended. Whoever sends step_orders must be one.
using report_sink = caf::typed_actor<takes<void(attempt_reports)>>;

/// Wraps the calls to one remote service or resource.
using agent_actor = caf::typed_actor<
  // Carry out each attempt; its attempt_report goes to the sender. A repeated order for an open attempt joins it.
  takes<void(step_orders)>,
  takes<void(traced_orders)>,
  takes<void(later_orders)>,
  // Stop the attempt; answered by a report `stopped` unless it ended before.
  takes<void(stop_order)>,
  // Answered by its new state.
  takes<agent_view(set_circuit)>,
  // Take no new orders; answered when no order is open any more, or the limit has passed.
  takes<drained(drain)>,
  takes<actor_state(inspect_state)>>;

/// An agent on a node.
struct agent_offer {
  std::string name; ///< the one that workflows use
  std::string node;
  agent_actor agent;

  friend bool operator==(const agent_offer&, const agent_offer&) = default;
};
STEADFAST_MESSAGE(agent_offer, x.name, x.node, x.agent)

/// All agents that can be reached now; replaces earlier offers.
struct agents_alive {
  std::vector<agent_offer> agents;
};
STEADFAST_MESSAGE(agents_alive, x.agents)

/// Sends writes, and gets their results and the news of the store.
using store_client = caf::typed_actor<takes<void(writes_done)>, takes<void(store_news)>>;

/// The only writer of the store in a process. What arrives during a commit goes into the next one.
using store_actor = caf::typed_actor<
  // Durable when answered.
  takes<receipt(boxed<workflow::submission>)>,
  takes<void(flush)>,
  takes<void(save_commits)>,
  // Answered to the sender by writes_done.
  takes<void(write_requests)>,
  takes<void(subscribe)>,
  takes<actor_state(inspect_state)>>;

/// The store actor of a node that may let the store go.
using own_store_actor = store_actor::extend<
  // Finish what has arrived, and pass on what comes later; answered when all that had arrived is durable.
  takes<drained(drain)>>;

/// What can be read of the store.
using reader_questions = caf::typed_actor<
  takes<task_view(show_task)>,
  takes<task_view(find_task)>,
  takes<boxed<store::task_page>(list_tasks)>,
  takes<task_count(count_tasks)>,
  takes<overdue_page(find_overdue)>,
  takes<notice_page(find_notices)>,
  takes<lease_page(list_leases)>,
  takes<alert_page(list_alerts)>,
  takes<boxed<store::alert_list>(find_alerts)>,
  takes<boxed<store::incident_page>(list_incidents)>,
  takes<boxed<store::bulk_page>(list_bulk_acts)>,
  takes<schedule_page(list_schedules)>,
  takes<limit_queue(find_limit_queue)>,
  takes<items_undo(find_items_undo)>,
  takes<boxed<store::event_page>(list_events)>,
  takes<workflow_page(list_workflows)>,
  takes<late_reply_page(list_late_replies)>,
  takes<boxed<store::store_stats>(show_stats)>>;

/// Reads the store from snapshots, while store_actor writes.
using reader_actor = reader_questions::extend<takes<actor_state(inspect_state)>>;

/// Is told when a lease was won or renewed (with an epoch), or lost (with none).
using guarded_actor = caf::typed_actor<takes<void(lease_changed)>>;

/// Runs the tasks that it has locked. Takes work only between lease_changed with an epoch and lease_changed with none.
using scheduler_actor = report_sink::extend_with<store_client>::extend_with<guarded_actor>::extend<
  takes<void(tick_timer)>,
  takes<void(agents_alive)>,
  takes<actor_state(inspect_state)>,
  // Stop taking work, finish, give back, answer.
  takes<drained(drain)>>;

/// Finds what is overdue, and decides. Acts only between lease_changed with an epoch and lease_changed with none.
using supervisor_actor = store_client::extend_with<guarded_actor>::extend<
  takes<void(tick_timer)>,
  takes<actor_state(inspect_state)>>;

/// Removes ended tasks from the store when their time has come.
using janitor_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<actor_state(inspect_state)>>;

/// Tries to get and keep one named lease, and tells the actor that it guards.
using lease_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<void(lease_progress)>,
  takes<actor_state(inspect_state)>,
  // Give the lease up, for a graceful stop; answered when the store knows.
  takes<drained(drain)>>;

/// A client's private response queue.
using observer_actor = caf::typed_actor<takes<void(progress)>>;

/// Delivers progress to observers until they have seen it.
using notifier_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<actor_state(inspect_state)>,
  // The sender is an observer_actor.
  takes<void(observe)>,
  takes<void(progress_seen)>>;

/// Delivers the notifications for one webhook that wait in the store.
using webhook_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<actor_state(inspect_state)>,
  // Answered when the receiver has answered, or its time is over.
  takes<webhook_tried(test_webhook)>>;

/// What clients and people talk to.
using gateway_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<actor_state(inspect_state)>,
  // Durable when answered. Sent as a message instead of a request, it is answered by a message: for clients that submit
  // thousands at a time, since CAF searches all open requests of an actor one by one.
  takes<receipt(boxed<workflow::submission>)>,
  takes<task_view(show_task)>,
  takes<boxed<store::task_page>(list_tasks)>,
  // What a person does to a task; recorded in its story.
  takes<act_result(act_on_task)>,
  // What the holder of a step's token says about the step.
  takes<act_result(use_token)>,
  takes<act_result(give_answer)>,
  // The sender is an observer_actor.
  takes<void(observe)>,
  takes<void(progress_seen)>>;

/// Works through the open bulk acts, by way of the gateway, a page at a time.
using bulk_runner_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<actor_state(inspect_state)>>;

// ---- between nodes ----

/// What a node offers to others.
struct node_offer {
  std::string node;
  actors::store_actor store_actor;   ///< none: the node does not have the role `store`
  reader_actor reader;  ///< none: the node does not have the role `store`
  gateway_actor gateway;
  std::vector<agent_offer> agents;

  friend bool operator==(const node_offer&, const node_offer&) = default;
};
STEADFAST_MESSAGE(node_offer, x.node, x.store_actor, x.reader, x.gateway, x.agents)

/// The writer and the reader of one partition of a store.
struct store_ends {
  actors::store_actor store_actor;
  reader_actor reader;

  friend bool operator==(const store_ends&, const store_ends&) = default;
};
STEADFAST_MESSAGE(store_ends, x.store_actor, x.reader)

/// A store of several partitions, at its node. Not in the node_offer: older nodes would take it for an undivided store.
struct partitioned_store {
  store_ends whole; ///< joins the partitions; none: the node has no such store
  std::vector<store_ends> partitions;

  friend bool operator==(const partitioned_store&, const partitioned_store&) = default;
};
STEADFAST_MESSAGE(partitioned_store, x.whole, x.partitions)

/// One partition, at the node that has it.
struct store_share {
  store_ends ends;         ///< none: another node has it
  workflow::instant clock; ///< identifies the clock that decides for it: the node's own

  friend bool operator==(const store_share&, const store_share&) = default;
};
STEADFAST_MESSAGE(store_share, x.ends, x.clock)

/// Which parts of a store of several partitions a node has.
struct store_shares {
  store_ends whole; ///< where writes take turns: at the node that has the first partition
  std::vector<store_share> partitions; ///< all partitions, in order; empty: the node knows of no such store

  friend bool operator==(const store_shares&, const store_shares&) = default;
};
STEADFAST_MESSAGE(store_shares, x.whole, x.partitions)

/// The actor of a node that others find at its address.
using node_front = caf::typed_actor<
  takes<node_offer(hello)>,
  takes<told_time(ask_time)>,
  takes<actor_page(list_actors)>,
  // If there is no such actor, the answer is an error that says so.
  takes<actor_view(find_actor)>,
  // Answered at once; the states of its actors show its progress.
  takes<void(drain_node)>>;

/// The front of a node that may have some partitions of a store. Older nodes are not asked for them.
using partitioned_front = node_front::extend<
  takes<partitioned_store(ask_partitions)>,
  takes<store_shares(ask_shares)>>;

/// The front of a node that may have webhooks. Older nodes are not asked for them.
using whole_front = partitioned_front::extend<
  // Answered as webhook_actor does. If the node has no such webhook, the answer is an error that says so.
  takes<webhook_tried(test_named_webhook)>>;

/// The store as it is offered to clients, which have a client's certificate.
using client_store_actor = store_actor::extend_with<reader_questions>;

/// To what a connection was made.
struct reached_node {
  node_front front;
  std::string name{};     ///< as its certificate or the node itself says; empty: nobody has asked
  bool has_store = true;  ///< it may have the store, as the same source says
  bool tells_partitions = false; ///< the front is a partitioned_front
  bool tests_webhooks = false;   ///< the front is a whole_front
};
STEADFAST_MESSAGE(reached_node, x.front, x.name, x.has_store, x.tells_partitions, x.tests_webhooks)

/// Makes connections to other nodes. A failure is answered as an error that says why.
using dialer_actor = caf::typed_actor<takes<reached_node(dial)>>;

/// What a node knows of another node has changed.
struct peer_changed {
  std::string address;
  bool connected = false;
  node_offer offer;    ///< while connected; with `whole` of its store_shares
  std::string trouble; ///< why it is not connected
  std::vector<store_share> partitions{}; ///< those of its store_shares
};
STEADFAST_MESSAGE(peer_changed, x.address, x.connected, x.offer, x.trouble, x.partitions)

/// What the clock of another node showed.
struct peer_time {
  std::string address;
  workflow::clock_sample sample;
};
STEADFAST_MESSAGE(peer_time, x.address, x.sample.asked_at, x.sample.answered_at, x.sample.theirs, x.sample.set_at)

/// Where the store, or one partition of it, is now, as the server that keeps it says: at this node, with these actors,
/// or at another node. At this node without actors: it lets the store go.
struct store_moved {
  std::string node;
  std::string address; ///< empty: this node, or one that others cannot reach
  store_ends ends{};   ///< none: it is at another node
  std::uint32_t partition = 0;
  store_ends whole{};  ///< with the first of several partitions: the whole
};
STEADFAST_MESSAGE(store_moved, x.node, x.address, x.ends, x.partition, x.whole)

/// Keeps the connection to one other node and reports its changes.
using peer_actor = caf::typed_actor<
  takes<void(tick_timer)>,
  takes<void(look_again)>>;

/// Knows which nodes are alive, keeps this node connected to those it needs, and tells the scheduler which agents it
/// can use. It remembers the leases as it last read them, for as long as the store cannot be asked.
using membership_actor = guarded_actor::extend<
  takes<void(tick_timer)>,
  takes<void(peer_changed)>,
  takes<void(peer_time)>,
  takes<void(store_moved)>,
  takes<lease_page(list_leases)>,
  takes<actor_state(inspect_state)>>;

/// Represents the store of another node: it has the same interface, and always answers.
using store_link_actor = store_actor::extend_with<reader_questions>::extend_with<store_client>::extend<
  takes<void(peer_changed)>>;

// clang-format on

} // namespace steadfast::actors
