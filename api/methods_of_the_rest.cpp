// Alerts and incidents, workflows, actors, nodes, the store.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/definition/definition.hpp"

#include <limits>

namespace steadfast::api {

namespace {

constexpr auto any_number = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t short_number = std::numeric_limits<std::uint32_t>::max();

parameter incident() {
  return number("incident", "the number of the incident").between(1, any_number).required();
}

field silent_nodes() {
  return list_of("silent_nodes", "silent_node", "nodes that did not answer");
}

method list_alerts() {
  return {alerts_list,
          "Alerts, newest first",
          {flag("all", "include those that no longer hold"),
           number("incident", "only alerts of this incident; 0: of any").otherwise(0),
           text("kind", "only alerts of this kind"), text("step", "only alerts about this step"),
           text("task", "only alerts about the task with this id"), text("text", "only alerts with this in their text"),
           moment("before_ms", "only alerts raised before this moment"),
           moment("after_ms", "only alerts raised after this moment"), before_number(), page_size()},
          {list_of("alerts", "alert"), next_number()},
          {error::busy}};
}

method act_on_incident() {
  return {incident_act,
          "An act of a person on an incident",
          {incident(), text("act", "what is done").required().one_of({"ack", "mute", "unmute", "note"}),
           moment("until_ms", "with mute: when the mute ends; if it is not given, when a person ends it"), who(),
           why()},
          {{"alerts", kind::number, "how many of its alerts were acknowledged with it"}},
          {error::refused, error::busy, error::not_found}};
}

} // namespace

std::vector<method> methods_of_alerts() {
  return {
    list_alerts(),
    {alerts_ack,
     "Acknowledges an alert: somebody is working on it",
     {number("alert", "the number of the alert").required(), who()},
     {},
     {error::busy, error::not_found}},
    {incident_list,
     "Incidents, newest first: all alerts with the same cause are one",
     {flag("all", "include closed ones"), before_number(), page_size()},
     {list_of("incidents", "incident"), next_number()},
     {error::busy}},
    {incident_show,
     "An incident, open or closed",
     {incident()},
     {object_of("incident", "incident")},
     {error::busy, error::not_found}},
    act_on_incident(),
  };
}

std::vector<method> methods_of_workflows() {
  return {
    {workflow_list,
     "All registered workflows, by name and version",
     {flag("newest", "only the newest version of each"), text("after", "the value of `next` on the page before"),
      number("max", "the most entries of a page").between(1, 1000).otherwise(1000)},
     {list_of("workflows", "workflow"),
      {"next", kind::text, "pass it as `after` to get the next page; null: this is the last page", false, true}},
     {error::busy}},
    {workflow_show,
     "A version of a workflow",
     {text("name", "the name of the workflow").required(),
      number("version", "the version; 0: the newest").between(0, short_number).otherwise(0)},
     {object_of("workflow", "workflow")},
     {error::busy, error::not_found}},
    {workflow_register,
     "Registers a workflow, or a new version of one, in the cluster; repeating the same changes nothing",
     {text("text", "the content of its file (docs/workflows.md)").required(), who(), why(),
      flag("dry_run", "only check whether it would be accepted; nothing is done")},
     {{"name", kind::text, "the name of the workflow"},
      {"version", kind::number, "the version that it has now"},
      {"created", kind::flag, "false: it already existed"},
      {"agents_missing", kind::texts, "agents that its steps need and no living node has"}},
     {error::refused, error::busy}},
    {lease_list, "All leases, with their holders and ends", {}, {list_of("leases", "lease")}, {error::busy}},
    {lease_release,
     "Takes a lease away from its holder; that of a node only if the node is gone for good",
     {text("name", "the name of the lease").required(), who(), why()},
     {{"holder", kind::text, "who had it"},
      {"epoch", kind::number, "the epoch under which nothing can be written any more"}},
     {error::refused, error::busy, error::not_found}},
  };
}

std::vector<method> methods_of_actors() {
  return {
    {actor_list,
     "The actors of all living nodes",
     {text("node", "only actors of this node"), text("kind", "only actors of this kind")},
     {list_of("actors", "actor"), silent_nodes()},
     {error::busy, error::not_found}},
    {actor_show,
     "An actor and its state",
     {text("id", "the id of the actor").required(),
      number("max", "the most entries of each list").between(1, 1000).otherwise(20)},
     joined(fields_of_actor(), {{"state", kind::object, "its state, as a tree; null: it did not answer", false, true}}),
     {error::busy, error::not_found}},
    {agent_list,
     "The agents of all living nodes, as they report themselves",
     {text("node", "only agents of this node"), text("agent", "only agents of this name")},
     {list_of("agents", "agent"), silent_nodes()},
     {error::busy, error::not_found}},
    {circuit_set,
     "Opens or closes the circuit of an agent, at every node that has it",
     {text("agent", "the name of the agent").required(), flag("open", "true: open it; false: close it").required(),
      who(), why()},
     {list_of("agents", "circuit", "the circuits that were set"), silent_nodes()},
     {error::busy, error::not_found}},
    {webhook_list,
     "The webhooks of the node that has the store, and the state of each",
     {},
     {list_of("webhooks", "webhook"), silent_nodes()},
     {error::busy}},
    {webhook_test,
     "Sends a test notification, from the node that has the store",
     {text("webhook", "the name of the webhook").required()},
     {{"delivered", kind::flag, "whether the receiver took it"},
      {"why", kind::text, "if it was not delivered: the reason"},
      {"took_ms", kind::number, "how long the receiver took to answer"}},
     {error::refused, error::busy, error::not_found}},
  };
}

std::vector<method> methods_of_nodes() {
  return {
    {node_drain,
     "The node accepts no new work and gives back what it has; answered when this has begun",
     {text("node", "the name of the node").required(),
      number("limit_ms", "how long attempts under way may take")
        .between(0, static_cast<std::uint64_t>(workflow::span_max.count()))
        .otherwise(30'000),
      who(), why()},
     {},
     {error::refused, error::busy, error::not_found}},
    {late_list,
     "Answers of agents that arrived too late to count",
     {page_size()},
     {list_of("late_replies", "late_reply")},
     {error::busy}},
    {node_describe,
     "This node, as its parts report themselves",
     {},
     {{"name", kind::text, "the name of the node"},
      or_null(object_of("scheduler", "scheduler", "its scheduler; null: it has none")),
      or_null(object_of("supervisor", "supervisor", "its supervisor; null: it has none")),
      or_null(object_of("store", "store_actor", "its store; null: it has none")),
      list_of("agents", "own_agent"),
      list_of("peers", "peer", "other nodes that it knows"),
      object_of("log", "log_view")},
     {error::busy}},
    {node_list,
     "The living nodes, and those that lived last",
     {},
     {list_of("nodes", "node"),
      {"store_trouble", kind::text, "why the store takes no writes, or cannot be asked; null: nothing is wrong", false,
       true}},
     {error::busy}},
    {health_show,
     "The health of the cluster: a sentence, and the facts behind it",
     {number("max_age_ms", "how old the figures on waiting tasks may be; new ones cost a read of all unfinished tasks")
        .between(0, 60'000)
        .otherwise(0)},
     {{"well", kind::flag, "true: nobody has to do anything"},
      {"sentence", kind::text, "the health in one sentence; moments in it are in UTC"},
      list_of("incidents", "incident", "the first 200 open incidents, those that are not muted first"),
      {"more_incidents", kind::flag, "true: there are more incidents than these"},
      list_of("nodes", "node", "the nodes, as in the answer of `node.list`"),
      {"store_trouble", kind::text, "why the store takes no writes, or cannot be asked; null: nothing is wrong", false,
       true},
      list_of("stuck", "stuck_task", "tasks that do not move, as in the answer of `task.stuck`"),
      list_of("waits", "wait", "what tasks wait for, the longest wait first"),
      {"scheduler_trouble", kind::text, "why no node takes tasks; null: nothing is wrong", false, true}},
     {}},
  };
}

std::vector<method> methods_of_stores() {
  return {
    {store_stats,
     "Figures of the store and of its disk",
     {},
     {object_of("tasks", "tasks_by_state"),
      {"claimable", kind::number, "tasks that wait for a scheduler"},
      {"open_alerts", kind::number, "open alerts"},
      {"bytes_used", kind::number, "bytes in use"},
      {"bytes_mapped", kind::number, "the size of its file"},
      {"bytes_max", kind::number, "the most bytes that it may use"},
      {"last_number", kind::number,
       "how many tasks were ever submitted: the number of the newest, unless the store has several partitions"},
      maybe({"last_numbers", kind::value, "the number of the newest task in each partition, if the store has several"}),
      {"tasks_purged", kind::number, "tasks removed so far"},
      {"bytes_reserve", kind::number, "bytes reserved for tasks that already exist"},
      {"disk_free", kind::number, "free bytes on its disk"},
      {"disk_size", kind::number, "the size of its disk in bytes"}},
     {error::busy}},
    {store_check,
     "Reads the whole store, or the partitions of it that the node has; one at a time",
     {},
     {{"records", kind::number, "records that were read"},
      {"tasks", kind::number, "tasks that were read"},
      {"faults", kind::texts, "what is wrong; empty: all is well"},
      maybe({"partitions_elsewhere", kind::value, "the partitions that other nodes have, if there are any"})},
     {error::refused, error::busy}},
    {store_copy,
     "Copies the store, on the node's machine; one at a time",
     {text("to", "a directory that does not exist").required()},
     {},
     {error::refused, error::busy}},
    {store_export,
     "Exports a task into a file on the node's machine",
     {text("id", "the id of the task").required(), text("to", "a file that does not exist").required()},
     {},
     {error::refused, error::busy, error::not_found}},
    {store_import,
     "Imports a task from a file on the node's machine",
     {text("from", "a file that `store.export` made").required(), who(), why()},
     {{"id", kind::text, "the id of the task"},
      {"number", kind::number, "the number of the task"},
      text_of("process_state", "process_state", "its state: suspended, unless it had ended")},
     {error::refused, error::busy}},
  };
}

} // namespace steadfast::api
