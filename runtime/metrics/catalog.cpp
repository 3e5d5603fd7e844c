#include "runtime/metrics/catalog.hpp"

namespace steadfast {

std::string_view to_string(metric_kind k) {
  switch (k) {
    case metric_kind::counter: return "counter";
    case metric_kind::gauge: return "gauge";
    case metric_kind::histogram: return "histogram";
  }
  return "";
}

const std::vector<metric>& metric_catalog() {
  using enum metric_kind;
  static const std::vector<metric> all{
    // Of the store, told by the node that has it
    {"steadfast_tasks", gauge, {"state"}, "Tasks in the store"},
    {"steadfast_unfinished_tasks", gauge, {"workflow", "state"}, "Tasks that are neither processed nor undone"},
    {"steadfast_tasks_purged_total", counter, {}, "Ended tasks that were deleted from the store, ever"},
    {"steadfast_submissions_total",
     counter,
     {"outcome"},
     "Submissions: created, already_there, pushed_back or refused"},
    {"steadfast_tasks_submitted_total", counter, {"workflow"}, "Tasks that were created"},
    {"steadfast_tasks_ended_total", counter, {"workflow", "state"}, "Tasks that ended processed, undone or in error"},
    {"steadfast_claimable_tasks", gauge, {}, "Tasks that wait for a scheduler, now or until they may be taken"},
    {"steadfast_oldest_claimable_seconds", gauge, {}, "How long the oldest task waits that a scheduler may take"},
    {"steadfast_failed_ratio",
     gauge,
     {"workflow"},
     "Share of the last 256 ended tasks that failed, undone or in error"},
    {"steadfast_alerts", gauge, {"kind"}, "Alerts that hold, of open incidents that are not muted"},
    {"steadfast_incidents", gauge, {"kind"}, "Open incidents"},
    {"steadfast_store_used_bytes",
     gauge,
     {},
     "Bytes in use of the store's data file; of several partitions those of the fullest, times their number"},
    {"steadfast_store_max_bytes", gauge, {}, "Bytes that the data file may have for new work"},
    {"steadfast_disk_free_bytes", gauge, {}, "Free bytes of the file system that the store is on"},
    {"steadfast_disk_size_bytes", gauge, {}, "Size of that file system"},
    {"steadfast_store_takes_writes", gauge, {}, "1 if the store accepts writes, 0 while it does not"},
    {"steadfast_store_waiting_writes", gauge, {}, "Writes that wait for the next commit"},
    {"steadfast_commit_seconds", histogram, {}, "From the beginning of a commit until it is durable"},
    {"steadfast_commit_writes", histogram, {}, "Writes in a commit"},
    {"steadfast_sync_seconds", histogram, {}, "Syncs of the journal"},
    {"steadfast_journal_bytes", gauge, {}, "Bytes in the journal after its last sync"},
    {"steadfast_journal_written_bytes_total", counter, {}, "Bytes written to the journal"},
    {"steadfast_lease_acquisitions_total",
     counter,
     {"lease"},
     "How often a lease was acquired: with `supervisor`, takeovers"},
    {"steadfast_nodes", gauge, {"state"}, "Nodes by their leases: alive, drained, silent or stopped"},
    {"steadfast_node_lease_left_seconds", gauge, {"node"}, "Until the node's lease ends; 0: the node is silent"},
    {"steadfast_supervisor_lease_left_seconds", gauge, {}, "Until the supervisor's lease ends; 0: nobody supervises"},
    {"steadfast_webhook_waiting", gauge, {"webhook"}, "Notifications that wait for the webhook, of those in memory"},
    {"steadfast_webhook_oldest_seconds", gauge, {"webhook"}, "How long the oldest of them waits"},
    {"steadfast_webhook_notifications_total",
     counter,
     {"webhook", "outcome"},
     "Deliveries to the webhook: delivered, failed or given_up"},
    {"steadfast_traced_tasks_total",
     counter,
     {"outcome"},
     "Ended tasks whose spans the collector took (sent) or did not (dropped)"},
    // Of each node
    {"steadfast_lease_held", gauge, {"lease"}, "1 if this node holds the lease, 0 if it only asks for it"},
    {"steadfast_lease_epoch", gauge, {"lease"}, "Epoch under which this node holds the lease; 0: it does not"},
    {"steadfast_lease_left_seconds", gauge, {"lease"}, "How long this node may still act under the lease"},
    {"steadfast_supervisor_active", gauge, {}, "1 if this node supervises, 0 if it stands by"},
    {"steadfast_supervisor_sweeps_total", counter, {}, "Sweeps of this node's supervisor"},
    {"steadfast_supervisor_decisions_total", counter, {}, "Decisions of this node's supervisor about late steps"},
    {"steadfast_scheduler_tasks", gauge, {}, "Tasks that this node's scheduler has taken"},
    {"steadfast_scheduler_tasks_max", gauge, {}, "Tasks that it may have taken at a time"},
    {"steadfast_scheduler_claimed_total", counter, {}, "Tasks that it has taken"},
    {"steadfast_scheduler_orders_total", counter, {}, "Attempts that it has ordered from agents"},
    {"steadfast_late_replies_total", counter, {}, "Replies that came too late to count"},
    {"steadfast_draining", gauge, {}, "1 if this node's scheduler takes no more tasks"},
    {"steadfast_agent_orders_total", counter, {"agent", "action"}, "Attempts that the agent took: do, probe or undo"},
    {"steadfast_step_retries_total", counter, {"agent"}, "Attempts to do a step that was attempted before"},
    {"steadfast_attempts_total", counter, {"agent", "outcome"}, "Attempts by how they ended"},
    {"steadfast_attempt_seconds", histogram, {"agent"}, "From an order to its report, with all waits and calls"},
    {"steadfast_queue_seconds", histogram, {"agent"}, "From an order to its first call"},
    {"steadfast_call_seconds", histogram, {"agent"}, "Calls of the service, program or function"},
    {"steadfast_call_retries_total", counter, {"agent"}, "Calls after the first of an attempt"},
    {"steadfast_circuit", gauge, {"agent", "state"}, "1 for the state that the agent's circuit has"},
    {"steadfast_agent_calls", gauge, {"agent"}, "Calls under way"},
    {"steadfast_agent_calls_max", gauge, {"agent"}, "Calls that may be under way at a time"},
    {"steadfast_agent_waiting", gauge, {"agent"}, "Orders that wait for their first or next call"},
    {"steadfast_mailbox_messages", gauge, {"kind"}, "Messages that wait in the mailboxes of actors of the kind"},
    {"steadfast_messages_total", counter, {"kind"}, "Messages that actors of the kind have handled"},
    {"steadfast_actor_busy_seconds", gauge, {"kind"}, "Longest time that one of them is busy with one message, now"},
    {"steadfast_http_requests_total", counter, {"status"}, "Requests that the HTTP port has answered, by status"},
    {"steadfast_http_connections", gauge, {}, "Connections of the HTTP port"},
    {"steadfast_http_streams", gauge, {}, "Connections that get events"},
    {"steadfast_silent_parts", gauge, {"kind"}, "Parts of the node that did not answer for this page"},
    {"steadfast_log_lines_lost_total", counter, {}, "Lines that the log lost, the disk being slow or full"},
    {"steadfast_build_info", gauge, {"node", "version"}, "1; the labels say what runs"},
    {"process_cpu_seconds_total", counter, {}, "User and system CPU time of the process"},
    {"process_open_fds", gauge, {}, "Open file descriptors"},
    {"process_max_fds", gauge, {}, "Most file descriptors that may be open"},
    {"process_virtual_memory_bytes", gauge, {}, "Virtual memory"},
    {"process_resident_memory_bytes", gauge, {}, "Resident memory"},
    {"process_start_time_seconds", gauge, {}, "When the process started, in seconds since 1970"},
  };
  return all;
}

} // namespace steadfast
