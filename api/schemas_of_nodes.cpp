// What answers tell of the cluster: nodes and their leases, agents, webhooks and actors.

#include "api/methods.hpp"
#include "workflow/calling/circuit.hpp"
#include "workflow/outward/notification.hpp"

namespace steadfast::api {

namespace {

/// What is told of an agent in the list, and of those of this node.
std::vector<field> figures_of_agent() {
  using enum kind;
  return {text_of("kind", "caller_kind", "how it makes calls"),
          {"service", text, "the scheme, host and port of its URL, or its program; empty: a function"},
          text_of("circuit", "circuit_state", "whether it lets calls through"),
          or_null({"circuit_open_until", moment,
                   "when the next call is tried; null: the circuit is closed, or a person holds it open"}),
          {"circuit_held_open_by", text, "the person who holds it open, and why; empty: nobody"},
          {"in_flight", number, "calls under way"},
          {"in_flight_max", number, "the most calls that may be under way"},
          {"queued", number, "calls waiting for their turn"},
          {"orders", number, "attempts that it was given since the node started"},
          {"succeeded", number, "attempts that succeeded since the node started"},
          {"failed", number, "attempts that failed since the node started"},
          {"declined", number, "attempts that it declined without a call since the node started"},
          {"silenced", number, "attempts that got no answer in time since the node started"},
          {"lately_succeeded", number, "calls that succeeded in the last five minutes"},
          {"lately_refused", number, "calls that the service refused in the last five minutes"},
          {"lately_failed", number, "calls that failed in the last five minutes"},
          {"p50_ms", number, "how long calls took in the last five minutes: the median"},
          {"p99_ms", number, "how long calls took in the last five minutes: the 99th percentile"},
          {"last_failure", text, "the error of the last call that failed"},
          or_null({"last_failure_at", moment, "when the last call failed"}),
          {"last_refusal", text, "the service's answer when it last refused a call"},
          or_null({"last_refusal_at", moment, "when the service last refused a call"})};
}

std::vector<field> fields_of_agent() {
  using enum kind;
  auto figures =
    joined(figures_of_agent(),
           {{"draining", flag, "it accepts no more attempts"},
            {"calls", number, "calls that it made since the node started"},
            {"refused", number,
             "attempts that were rejected since the node started, because their scheduler had lost the task"},
            {"abandoned", number, "calls under way whose answer is no longer wanted"},
            {"failures_in_a_row", number, "consecutive calls that failed"},
            {"queue_max", number, "the most calls that may wait"},
            {"rate_per_second", fraction, "the most calls that may begin in a second; 0: no limit"},
            or_null({"next_call_allowed_at", moment, "when the rate limit allows the next call"}),
            {"usual_call_us", number, "about how long a call takes"},
            {"input_bytes", number, "the size of the inputs that it holds, in bytes"}});
  for (auto& f : figures)
    f.may_lack = true;
  return joined({{"name", text, "the name of the agent"},
                 {"node", text, "the node that it is on"},
                 {"answers", flag, "false: it gave no answer within a second, so the other members are missing"}},
                figures);
}

std::vector<field> fields_of_webhook() {
  using enum kind;
  std::vector<field> told{text_of("kind", "caller_kind", "how it is reached: http, or exec (a program)"),
                          {"service", text, "the scheme, host and port of its URL, or its program; empty: a function"},
                          {"events", texts, "the events that it is notified of", false, false, "outward_event"},
                          {"workflows", texts, "the workflows that it is notified of; empty: all"},
                          {"waiting", number, "notifications waiting in memory"},
                          {"more_waiting", flag, "more notifications are waiting in the store"},
                          or_null({"oldest_at", moment, "when what the oldest waiting notification reports happened"}),
                          {"oldest_ms", number, "how long the oldest notification has been waiting"},
                          {"under_way", number, "notifications that are being sent"},
                          {"delivered", number, "notifications delivered since the node started"},
                          {"failed", number, "deliveries that failed since the node started"},
                          {"given_up", number, "notifications given up since the node started"},
                          {"away", flag, "the receiver does not answer"},
                          or_null({"paused_until", moment, "when it is tried again; null: it is not paused"}),
                          or_null({"last_delivered_at", moment, "when a notification was last delivered; null: never"}),
                          {"last_failure", text, "why a delivery last failed"},
                          or_null({"last_failure_at", moment, "when a delivery last failed"})};
  for (auto& f : told)
    f.may_lack = true;
  return joined({{"name", text, "the name of the webhook"},
                 {"node", text, "the node that sends its notifications"},
                 {"answers", flag, "false: it gave no answer within a second, so the other members are missing"}},
                told);
}

/// The parts of one node, as each sees itself.
std::vector<schema> parts_of_node() {
  using enum kind;
  return {
    {"own_agent", "An agent of this node",
     joined({{"name", text, "the name of the agent"}, {"tries", number, "calls that it made since the node started"}},
            figures_of_agent())},
    {"scheduler",
     "The scheduler of a node: what moves tasks forward",
     {{"name", text, "the name of the node"},
      {"in_flight", number, "tasks that it is working on"},
      {"in_flight_max", number, "the most tasks that it may work on"},
      {"claimed", number, "tasks that it took since the node started"},
      {"dispatched", number, "attempts that it sent to agents since the node started"},
      {"late", number, "answers that arrived too late since the node started"},
      {"draining", flag, "it takes no more tasks"}}},
    {"supervisor",
     "The supervisor of a node: what finds overdue tasks and decides what happens to them",
     {{"active", flag, "whether it is the one that supervises; false: another node's is"},
      {"epoch", number, "the epoch of its lease"},
      {"sweeps", number, "sweeps so far"},
      {"reviewed", number, "tasks that it has looked at"},
      {"decided", number, "tasks that it has acted on"},
      or_null({"last_sweep", moment, "when it last looked for overdue tasks; null: not yet"})}},
    {"store_actor",
     "The only writer of the store",
     {{"commits", number, "commits so far"},
      {"writes", number, "writes in all commits so far"},
      {"largest_batch", number, "the most writes in one commit"},
      {"waiting", number, "writes waiting for the next commit"},
      {"last_commit_us", number, "how long the last commit took"},
      {"trouble", text, "why it accepts no writes; empty: it accepts them"}}},
    {"peer",
     "Another node that this one knows",
     {{"node", text, "the name of the node; empty: not known yet"},
      {"address", text, "its address"},
      {"connected", flag, "whether there is a connection to it"},
      {"trouble", text, "why there is no connection"}}},
    {"log_view", "The log of the node", {{"lines_lost", number, "lines that could not be written"}}}};
}

} // namespace

std::vector<field> fields_of_actor() {
  using enum kind;
  return {{"id", text, "the id of the actor, such as scheduler@a"},
          {"kind", text, "the kind of actor, such as scheduler"},
          {"node", text, "the node that it is on"},
          {"waiting", number, "messages in its mailbox"},
          {"handled", number, "messages handled so far"},
          {"per_second", fraction, "messages handled per second, lately"},
          {"last_message", text, "the type of its last message"},
          {"last_took_us", number, "how long it took to handle its last message"},
          {"busy_for_ms", number, "how long it has been handling its current message"},
          {"answers", flag, "whether it answered within a second"},
          {"summary", text, "a summary of its state"},
          {"open", number, "tasks or calls in flight"}};
}

std::vector<schema> schemas_of_nodes() {
  using enum kind;
  using c = workflow::circuit_state;
  using e = workflow::outward_event;
  auto all = parts_of_node();
  const std::vector<schema> more{
    {"node_state",
     "alive; drained: it takes no more tasks; silent: its lease lasts, but it does not answer; gone: its lease has "
     "ended",
     {},
     {"alive", "drained", "silent", "gone"}},
    {"node",
     "A node of the cluster, or one that used to be",
     {{"name", text, "the name of the node"},
      {"address", text, "the address at which other nodes reach it"},
      {"roles", text, "its roles, separated by commas"},
      {"agents", texts, "the names of its agents"},
      {"alive", flag, "whether its lease lasts or, while the store cannot be asked, whether it answers"},
      text_of("state", "node_state", "its state"),
      {"supervises", flag, "whether its supervisor is the active one"},
      {"drained", flag, "whether it has been told to take no more tasks"},
      or_null({"certificate_until", moment, "when its certificate expires; null: it has none"}),
      {"epoch", number, "the epoch of its lease"},
      or_null({"expires_at", moment, "when its lease ends; null: it was released"}),
      maybe({"partitions", value, "the numbers of the partitions that it has, if the store has several"})}},
    {"silent_node",
     "A node that gave no answer",
     {{"node", text, "the name of the node; empty: the list of nodes could not be read"},
      {"why", text, "why it did not answer"}}},
    {"lease",
     "A claim to a name that one holder has for a time",
     {{"name", text, "what the lease is for"},
      {"holder", text, "the current or the last holder"},
      {"note", text, "what the holder says about itself"},
      {"epoch", number, "a number that grows with each acquisition"},
      or_null({"expires_at", moment, "when it ends; null: it was released"})}},
    {"actor", "A part of a node that handles messages", fields_of_actor()},
    {"caller_kind",
     "How calls are made: over HTTP, to a program (exec), or to a C++ function",
     {},
     {"http", "exec", "function"}},
    {"circuit_state",
     "closed: calls go through; open: none do; half-open: trial calls do",
     {},
     texts_of({c::closed, c::open, c::half_open})},
    {"agent", "What makes the calls to one service", fields_of_agent()},
    {"circuit",
     "The circuit breaker of an agent on one node",
     {{"node", text, "the node that it is on"}, text_of("circuit", "circuit_state", "its current state")}},
    {"outward_event",
     "What a webhook can be notified of",
     {},
     texts_of({e::processed, e::undone, e::error, e::alert, e::incident})},
    {"webhook", "A receiver of notifications", fields_of_webhook()}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace steadfast::api
