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
  return {"silent_nodes", kind::list, "nodes that gave no answer, and why"};
}

method list_alerts() {
  return {alerts_list,
          "Alerts, the newest first",
          {flag("all", "also those that no longer hold"),
           number("incident", "of this incident; 0: of any").otherwise(0), text("kind", "of this kind"),
           text("step", "about this step"), text("task", "about the task of this id"),
           text("text", "with this in the text"), moment("before_ms", "raised earlier"),
           moment("after_ms", "raised later"), before_number(), page_size()},
          {{"alerts", kind::list}, next_number()},
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

/// An actor as its mailbox shows it, and whether it answers.
std::vector<field> actor_fields() {
  return {{"id", kind::text},
          {"kind", kind::text},
          {"node", kind::text},
          {"waiting", kind::number, "messages in its mailbox"},
          {"handled", kind::number, "messages so far"},
          {"per_second", kind::fraction, "messages lately"},
          {"last_message", kind::text},
          {"last_took_us", kind::number},
          {"busy_for_ms", kind::number},
          {"answers", kind::flag, "within a second"},
          {"summary", kind::text, "of its state"},
          {"open", kind::number, "tasks or calls in flight"},
          {"state", kind::object, "a tree", false, true}};
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
     {{"incidents", kind::list}, next_number()},
     {error::busy}},
    {incident_show,
     "One of them, open or closed",
     {incident()},
     {{"incident", kind::object}},
     {error::busy, error::not_found}},
    act_on_incident(),
  };
}

std::vector<method> methods_of_workflows() {
  return {
    {workflow_list, "All registered workflows", {}, {{"workflows", kind::list}}, {error::busy}},
    {workflow_show,
     "One of them",
     {text("name", "its name").required(), number("version", "0: the newest").between(0, short_number).otherwise(0)},
     {{"workflow", kind::object}},
     {error::busy, error::not_found}},
    {workflow_register,
     "Registers a workflow, or a new version of one, in the cluster; repeating the same changes nothing",
     {text("text", "the content of its file (docs/workflows.md)").required(), who(), why(),
      flag("dry_run", "only check whether it would be accepted; nothing is done")},
     {{"name", kind::text},
      {"version", kind::number},
      {"created", kind::flag, "false: it already existed"},
      {"agents_missing", kind::texts, "agents of its steps that no living node has"}},
     {error::refused, error::busy}},
    {lease_list, "Leases, with holder and end", {}, {{"leases", kind::list}}, {error::busy}},
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
     {{"actors", kind::list}, silent_nodes()},
     {error::busy, error::not_found}},
    {actor_show,
     "One actor and what it works with",
     {text("id", "of the actor").required(), number("max", "entries of each list").between(1, 1000).otherwise(20)},
     actor_fields(),
     {error::busy, error::not_found}},
    {agent_list,
     "The agents of all living nodes, as they report themselves",
     {text("node", "of this node"), text("agent", "of this name")},
     {{"agents", kind::list}, silent_nodes()},
     {error::busy, error::not_found}},
    {circuit_set,
     "Opens or closes the circuit of an agent, at every node that has it",
     {text("agent", "its name").required(), flag("open", "true: open it; false: close it").required(), who(), why()},
     {{"agents", kind::list, "where it was set"}, silent_nodes()},
     {error::busy, error::not_found}},
    {webhook_list,
     "The webhooks of the node that has the store, and the state of each",
     {},
     {{"webhooks", kind::list}, silent_nodes()},
     {error::busy}},
    {webhook_test,
     "Sends a test notification, from the node that has the store",
     {text("webhook", "its name").required()},
     {{"delivered", kind::flag},
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
     {{"late_replies", kind::list}},
     {error::busy}},
    {node_describe,
     "This node, as its parts report themselves",
     {},
     {{"name", kind::text},
      {"scheduler", kind::object, "null if the node does not have one", false, true},
      {"supervisor", kind::object, "likewise", false, true},
      {"store", kind::object, "likewise", false, true},
      {"agents", kind::list},
      {"peers", kind::list, "other nodes that it has a connection to"},
      {"log", kind::object}},
     {error::busy}},
    {node_list,
     "The living nodes, and those that lived last",
     {},
     {{"nodes", kind::list}, {"store_trouble", kind::text, "why the store cannot be reached", false, true}},
     {error::busy}},
    {health_show,
     "The health of the cluster: a sentence, and the facts behind it",
     {number("max_age_ms", "how old the figures on waiting tasks may be; for them all unfinished tasks are read")
        .between(0, 60'000)
        .otherwise(0)},
     {{"well", kind::flag, "nobody has to do anything"},
      {"sentence", kind::text, "moments in it are in UTC"},
      {"incidents", kind::list, "the first 200 open ones; those that count come first"},
      {"more_incidents", kind::flag, "than these"},
      {"nodes", kind::list, "as `node.list` gives them"},
      {"store_trouble", kind::text, "why the store cannot be reached", false, true},
      {"stuck", kind::list, "as `task.stuck` gives it, and the next two"},
      {"waits", kind::list},
      {"scheduler_trouble", kind::text, {}, false, true}},
     {}},
  };
}

std::vector<method> methods_of_stores() {
  return {
    {store_stats,
     "Figures of the store and of its disk",
     {},
     {{"tasks", kind::object, "by state"},
      {"claimable", kind::number, "tasks that wait for a scheduler"},
      {"open_alerts", kind::number},
      {"bytes_used", kind::number},
      {"bytes_mapped", kind::number},
      {"bytes_max", kind::number},
      {"last_number", kind::number, "of a task"},
      {"tasks_purged", kind::number},
      {"bytes_reserve", kind::number},
      {"disk_free", kind::number},
      {"disk_size", kind::number}},
     {error::busy}},
    {store_check,
     "Reads the whole store; one at a time",
     {},
     {{"records", kind::number}, {"tasks", kind::number}, {"faults", kind::list, "texts; none if all is well"}},
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
     {{"id", kind::text}, {"number", kind::number}, {"process_state", kind::text, "suspended, unless it had ended"}},
     {error::refused, error::busy}},
  };
}

} // namespace steadfast::api
