#pragma once

// Every actor's interface: the page to read first.

#include "actors/messages.hpp"

#include <caf/typed_actor.hpp>

namespace steadfast::actors {

// One message a line.
// clang-format off

/// Hears how attempts ended. Whoever sends a step_order is one.
using report_sink = caf::typed_actor<takes<void(attempt_report)>>;

/// Wraps the calls to one remote service or resource.
using agent_actor = caf::typed_actor<
  // Carry out an attempt; its attempt_report goes to the sender. Repeated orders for an open attempt join it.
  takes<void(step_order)>,
  // Stop it; answered by a report `stopped` unless it ended before.
  takes<void(stop_order)>,
  takes<agent_view(describe)>>;

/// Sends writes and hears what became of them.
using store_client = caf::typed_actor<takes<void(write_done)>, takes<void(store_news)>>;

/// The only writer of the store in a process. What arrives during a commit goes into the next one.
using store_actor = caf::typed_actor<
  // Durable when answered.
  takes<receipt(boxed<workflow::submission>)>,
  takes<void(flush)>,
  // Answered to the sender by write_done.
  takes<void(write_request)>,
  takes<void(subscribe)>,
  takes<store_view(describe)>>;

/// Reads the store from snapshots, beside the writer.
using reader_actor = caf::typed_actor<
  takes<task_view(show_task)>,
  takes<task_view(find_task)>,
  takes<boxed<store::task_page>(list_tasks)>,
  takes<overdue_page(find_overdue)>,
  takes<notice_page(find_notices)>>;

/// Runs the tasks it has locked.
using scheduler_actor = report_sink::extend_with<store_client>::extend<
  takes<void(tick_timer)>,
  takes<scheduler_view(describe)>,
  // Stop taking work, finish, give back, answer.
  takes<drained(drain)>>;

/// Finds what is overdue and decides. Acts only between lease_changed with an epoch and lease_changed with none.
using supervisor_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<void(lease_changed)>,
  takes<supervisor_view(describe)>>;

/// Campaigns for one named lease and tells its guarded actor.
using lease_actor = store_client::extend<
  takes<void(tick_timer)>,
  takes<void(lease_progress)>,
  // Give the lease up, for a graceful stop; answered when the store knows.
  takes<drained(drain)>>;

/// A client's private response queue.
using observer_actor = caf::typed_actor<takes<void(progress)>>;

/// Delivers progress to observers until they have seen it.
using notifier_actor = store_client::extend<
  // The sender is an observer_actor.
  takes<void(observe)>,
  takes<void(progress_seen)>>;

/// Hears that a lease was won (an epoch) or lost (none).
using guarded_actor = caf::typed_actor<takes<void(lease_changed)>>;

/// What clients and people talk to.
using gateway_actor = store_client::extend<
  // Durable when answered.
  takes<receipt(boxed<workflow::submission>)>,
  takes<task_view(show_task)>,
  takes<boxed<store::task_page>(list_tasks)>,
  // What a person does to a task; recorded in its story.
  takes<act_result(act_on_task)>,
  // The sender is an observer_actor.
  takes<void(observe)>,
  takes<void(progress_seen)>>;

// clang-format on

} // namespace steadfast::actors
