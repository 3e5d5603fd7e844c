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
  return number("incident", "its number").between(1, any_number).required();
}

field silent_nodes() {
  return list_of("silent_nodes", "silent_node", "nodes that gave no answer");
}

method list_alerts() {
  return {alerts_list,
          "Alerts, the newest first",
          {flag("all", "also those that no longer hold"),
           number("incident", "of this incident; 0: of any").otherwise(0), text("kind", "of this kind"),
           text("step", "about this step"), text("task", "about the task of this id"),
           text("text", "with this in the text"), moment("before_ms", "raised earlier"),
           moment("after_ms", "raised later"), before_number(), page_size()},
          {list_of("alerts", "alert"), next_number()},
          {error::busy}};
}

method act_on_incident() {
  return {incident_act,
          "An act of a person on an incident",
          {incident(), text("act", "what is done").required().one_of({"ack", "mute", "unmute", "note"}),
           moment("until_ms", "with mute; until it is unmuted when it is not given"), who(), why()},
          {{"alerts", kind::number, "how many were acknowledged with it"}},
          {error::refused, error::busy, error::not_found}};
}

} // namespace

std::vector<method> methods_of_alerts() {
  return {
    list_alerts(),
    {alerts_ack,
     "Acknowledges it: somebody is working on it",
     {number("alert", "its number").required(), who()},
     {},
     {error::busy, error::not_found}},
    {incident_list,
     "Alerts with the same cause as one, the newest first",
     {flag("all", "also closed ones"), before_number(), page_size()},
     {list_of("incidents", "incident"), next_number()},
     {error::busy}},
    {incident_show,
     "One of them, open or closed",
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
     {flag("newest", "only the newest version of each"), text("after", "what `next` was on the page before"),
      number("max", "entries of a page").between(1, 1000).otherwise(1000)},
     {list_of("workflows", "workflow"), {"next", kind::text, "to be given as `after`", false, true}},
     {error::busy}},
    {workflow_show,
     "One of them",
     {text("name", "its name").required(), number("version", "0: the newest").between(0, short_number).otherwise(0)},
     {object_of("workflow", "workflow")},
     {error::busy, error::not_found}},
    {workflow_register,
     "Registers a workflow, or a new version of one, in the cluster; repeating the same changes nothing",
     {text("text", "the content of its file (docs/workflows.md)").required(), who(), why(),
      flag("dry_run", "only check whether it would be accepted; nothing is done")},
     {{"name", kind::text, "of the workflow"},
      {"version", kind::number, "of the workflow"},
      {"created", kind::flag, "false: it already existed"},
      {"agents_missing", kind::texts, "agents of its steps that no living node has"}},
     {error::refused, error::busy}},
    {lease_list, "Leases, with holder and end", {}, {list_of("leases", "lease")}, {error::busy}},
    {lease_release,
     "Takes a lease away from its holder; that of a node only if the node is gone for good",
     {text("name", "of the lease").required(), who(), why()},
     {{"holder", kind::text, "who had it"}, {"epoch", kind::number, "under which nothing can be written any more"}},
     {error::refused, error::busy, error::not_found}},
  };
}

std::vector<method> methods_of_actors() {
  return {
    {actor_list,
     "The actors of all living nodes",
     {text("node", "of this node"), text("kind", "of this kind")},
     {list_of("actors", "actor"), silent_nodes()},
     {error::busy, error::not_found}},
    {actor_show,
     "One actor and what it works with",
     {text("id", "of the actor").required(), number("max", "entries of each list").between(1, 1000).otherwise(20)},
     joined(fields_of_actor(), {{"state", kind::object, "a tree; null: it does not answer", false, true}}),
     {error::busy, error::not_found}},
    {agent_list,
     "The agents of all living nodes, as they report themselves",
     {text("node", "of this node"), text("agent", "of this name")},
     {list_of("agents", "agent"), silent_nodes()},
     {error::busy, error::not_found}},
    {circuit_set,
     "Opens or closes the circuit of an agent, at every node that has it",
     {text("agent", "its name").required(), flag("open", "true: open it; false: close it").required(), who(), why()},
     {list_of("agents", "circuit", "where it was set"), silent_nodes()},
     {error::busy, error::not_found}},
    {webhook_list,
     "The webhooks of the node that has the store, and the state of each",
     {},
     {list_of("webhooks", "webhook"), silent_nodes()},
     {error::busy}},
    {webhook_test,
     "Sends a test notification, from the node that has the store",
     {text("webhook", "its name").required()},
     {{"delivered", kind::flag, "the receiver took it"},
      {"why", kind::text, "when it was not delivered"},
      {"took_ms", kind::number, "until the receiver answered"}},
     {error::busy, error::not_found}},
  };
}

std::vector<method> methods_of_nodes() {
  return {
    {node_drain,
     "The node accepts no new work and gives back what it has; answered when this has begun",
     {text("node", "its name").required(),
      number("limit_ms", "for attempts under way")
        .between(0, static_cast<std::uint64_t>(workflow::span_max.count()))
        .otherwise(30'000),
      who(), why()},
     {},
     {error::refused, error::busy, error::not_found}},
    {late_list,
     "Answers of agents that came too late to count",
     {page_size()},
     {list_of("late_replies", "late_reply")},
     {error::busy}},
    {node_describe,
     "This node, as its parts report themselves",
     {},
     {{"name", kind::text, "of the node"},
      or_null(object_of("scheduler", "scheduler", "null: the node has none")),
      or_null(object_of("supervisor", "supervisor", "likewise")),
      or_null(object_of("store", "store_writer", "likewise")),
      list_of("agents", "own_agent"),
      list_of("peers", "peer", "other nodes that it knows"),
      object_of("log", "log_view")},
     {error::busy}},
    {node_list,
     "The living nodes, and those that lived last",
     {},
     {list_of("nodes", "node"),
      {"store_trouble", kind::text, "why the store takes no writes, or cannot be asked; null: it does", false, true}},
     {error::busy}},
    {health_show,
     "The health of the cluster: a sentence, and the facts behind it",
     {number("max_age_ms", "how old the figures on waiting tasks may be; for them all unfinished tasks are read")
        .between(0, 60'000)
        .otherwise(0)},
     {{"well", kind::flag, "nobody has to do anything"},
      {"sentence", kind::text, "moments in it are in UTC"},
      list_of("incidents", "incident", "the first 200 open ones; those that count come first"),
      {"more_incidents", kind::flag, "there are more than these"},
      list_of("nodes", "node", "as `node.list` gives them"),
      {"store_trouble", kind::text, "why the store takes no writes, or cannot be asked; null: it does", false, true},
      list_of("stuck", "stuck_task", "as `task.stuck` gives it, and the next two"),
      list_of("waits", "wait", "the longest first"),
      {"scheduler_trouble", kind::text, "why no node takes tasks", false, true}},
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
      {"open_alerts", kind::number, "alerts that hold"},
      {"bytes_used", kind::number, "of the store"},
      {"bytes_mapped", kind::number, "of its file"},
      {"bytes_max", kind::number, "that it may have"},
      {"last_number", kind::number, "of a task"},
      {"tasks_purged", kind::number, "tasks that have left it"},
      {"bytes_reserve", kind::number, "that are kept free for tasks that are there"},
      {"disk_free", kind::number, "bytes"},
      {"disk_size", kind::number, "bytes"}},
     {error::busy}},
    {store_check,
     "Reads the whole store; one at a time",
     {},
     {{"records", kind::number, "that were read"},
      {"tasks", kind::number, "that were read"},
      {"faults", kind::texts, "none: all is well"}},
     {error::refused, error::busy}},
    {store_copy,
     "Copies the store, on the node's machine; one at a time",
     {text("to", "a directory that does not exist").required()},
     {},
     {error::refused, error::busy}},
    {store_export,
     "Exports a task into a file on the node's machine",
     {text("id", "of the task").required(), text("to", "a file that does not exist").required()},
     {},
     {error::refused, error::busy, error::not_found}},
    {store_import,
     "Imports a task from a file on the node's machine",
     {text("from", "a file that `store.export` made").required(), who(), why()},
     {{"id", kind::text, "of the task"},
      {"number", kind::number, "of the task"},
      text_of("process_state", "process_state", "suspended, unless it had ended")},
     {error::refused, error::busy}},
  };
}

} // namespace steadfast::api
