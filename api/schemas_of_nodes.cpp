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
          {"service", text, "scheme, host and port of its URL, or its program; empty: a function"},
          text_of("circuit", "circuit_state", "whether calls are let through"),
          or_null({"circuit_open_until", moment,
                   "when the next call is tried; null: it is closed, or a person holds it open"}),
          {"circuit_held_open_by", text, "who holds it open, and why; empty: nobody"},
          {"in_flight", number, "calls under way"},
          {"in_flight_max", number, "how many calls may be under way"},
          {"queued", number, "calls that wait for their turn"},
          {"orders", number, "attempts that it was given since the node began"},
          {"succeeded", number, "attempts that succeeded since the node began"},
          {"failed", number, "attempts that failed since the node began"},
          {"declined", number, "attempts that it never sent, since the node began"},
          {"silenced", number, "attempts without an answer in time, since the node began"},
          {"lately_succeeded", number, "calls that succeeded in the last five minutes"},
          {"lately_refused", number, "calls that the service refused in the last five minutes"},
          {"lately_failed", number, "calls that failed in the last five minutes"},
          {"p50_ms", number, "half of the calls of the last five minutes took no longer"},
          {"p99_ms", number, "99 of 100 calls of the last five minutes took no longer"},
          {"last_failure", text, "what the last call that failed said"},
          or_null({"last_failure_at", moment, "when the last call failed"}),
          {"last_refusal", text, "what the service said when it last refused a call"},
          or_null({"last_refusal_at", moment, "when the service last refused a call"})};
}

std::vector<field> fields_of_agent() {
  using enum kind;
  auto figures = joined(figures_of_agent(),
                        {{"draining", flag, "it takes no more attempts"},
                         {"calls", number, "calls that it made since the node began"},
                         {"refused", number, "attempts of schedulers that had lost the task, since the node began"},
                         {"abandoned", number, "calls under way that nobody waits for any more"},
                         {"failures_in_a_row", number, "calls that failed since one did not"},
                         {"queue_max", number, "calls that may wait"},
                         {"rate_per_second", fraction, "calls that may begin in a second; 0: any number"},
                         or_null({"next_call_allowed_at", moment, "when the rate allows the next call"}),
                         {"usual_call_us", number, "how long a call takes, about"},
                         {"input_bytes", number, "bytes of the inputs that it holds"}});
  for (auto& f : figures)
    f.may_lack = true;
  return joined({{"name", text, "its name"},
                 {"node", text, "where it is"},
                 {"answers", flag, "false: it told nothing else within a second"}},
                figures);
}

std::vector<field> fields_of_webhook() {
  using enum kind;
  std::vector<field> told{text_of("kind", "caller_kind", "http, or exec: a program"),
                          {"service", text, "scheme, host and port of its URL, or its program; empty: a function"},
                          {"events", texts, "what it is told of", false, false, "outward_event"},
                          {"workflows", texts, "only of these; empty: of all"},
                          {"waiting", number, "notifications in memory that wait"},
                          {"more_waiting", flag, "there are more in the store"},
                          or_null({"oldest_at", moment, "of the oldest notification that waits"}),
                          {"oldest_ms", number, "how long the oldest notification has waited"},
                          {"under_way", number, "notifications that are being sent"},
                          {"delivered", number, "notifications delivered since the node began"},
                          {"failed", number, "deliveries that failed since the node began"},
                          {"given_up", number, "notifications given up since the node began"},
                          {"away", flag, "the receiver does not answer"},
                          or_null({"paused_until", moment, "when it is tried again"}),
                          or_null({"last_delivered_at", moment, "when one was delivered last; null: none was"}),
                          {"last_failure", text, "why the last delivery failed that did"},
                          or_null({"last_failure_at", moment, "when a delivery last failed"})};
  for (auto& f : told)
    f.may_lack = true;
  return joined({{"name", text, "its name"},
                 {"node", text, "which sends its notifications"},
                 {"answers", flag, "false: it told nothing else within a second"}},
                told);
}

/// The parts of one node, as each sees itself.
std::vector<schema> parts_of_node() {
  using enum kind;
  return {{"own_agent", "An agent of this node",
           joined({{"name", text, "its name"}, {"tries", number, "calls that it made since the node began"}},
                  figures_of_agent())},
          {"scheduler",
           "What moves tasks on",
           {{"name", text, "of the node"},
            {"in_flight", number, "tasks that it works on"},
            {"in_flight_max", number, "how many tasks it may work on"},
            {"claimed", number, "tasks that it took since the node began"},
            {"dispatched", number, "attempts that it sent since the node began"},
            {"late", number, "answers that came too late since the node began"},
            {"draining", flag, "it takes no more tasks"}}},
          {"supervisor",
           "What looks after tasks whose scheduler is lost or late",
           {{"active", flag, "false: that of another node does it"},
            {"epoch", number, "of its lease"},
            {"sweeps", number, "rounds that it made"},
            {"reviewed", number, "tasks that it looked at"},
            {"decided", number, "tasks that it did something to"},
            or_null({"last_sweep", moment, "when it looked last"})}},
          {"store_writer",
           "What writes to the store",
           {{"commits", number, "so far"},
            {"writes", number, "in all commits so far"},
            {"largest_batch", number, "writes of one commit"},
            {"waiting", number, "writes that wait"},
            {"last_commit_us", number, "how long the last commit took"},
            {"trouble", text, "why it takes no writes; empty: it does"}}},
          {"peer",
           "Another node that this one knows",
           {{"node", text, "its name; empty: not known yet"},
            {"address", text, "where it is"},
            {"connected", flag, "there is a connection to it"},
            {"trouble", text, "why there is no connection"}}},
          {"log_view", "The log of the node", {{"lines_lost", number, "lines that could not be written"}}}};
}

} // namespace

std::vector<field> fields_of_actor() {
  using enum kind;
  return {{"id", text, "such as scheduler@a"},
          {"kind", text, "such as scheduler"},
          {"node", text, "where it is"},
          {"waiting", number, "messages in its mailbox"},
          {"handled", number, "messages so far"},
          {"per_second", fraction, "messages lately"},
          {"last_message", text, "its type"},
          {"last_took_us", number, "how long its last message took"},
          {"busy_for_ms", number, "how long it has been at its current message"},
          {"answers", flag, "it answered within a second"},
          {"summary", text, "of its state"},
          {"open", number, "tasks or calls in flight"}};
}

std::vector<schema> schemas_of_nodes() {
  using enum kind;
  using c = workflow::circuit_state;
  using e = workflow::outward_event;
  auto all = parts_of_node();
  const std::vector<schema> more{
    {"node_state",
     "drained: it takes no more tasks; silent: it lives, and does not answer now; gone: it does not live",
     {},
     {"alive", "drained", "silent", "gone"}},
    {"node",
     "A node of the cluster, or one that was",
     {{"name", text, "its name"},
      {"address", text, "where other nodes reach it"},
      {"roles", text, "what it does, with commas"},
      {"agents", texts, "their names"},
      {"alive", flag, "its lease lasts; while the store cannot be asked: it answers"},
      text_of("state", "node_state", "how it is"),
      {"supervises", flag, "its supervisor is the active one"},
      {"drained", flag, "it takes no more tasks"},
      or_null({"certificate_until", moment, "when its certificate ends; null: it has none"}),
      {"epoch", number, "of its lease"},
      or_null({"expires_at", moment, "when its lease ends; null: it was given back"})}},
    {"silent_node",
     "A node that gave no answer",
     {{"node", text, "its name; empty: which nodes there are is not known"}, {"why", text, "why it did not"}}},
    {"lease",
     "The right of one node to do something, for a time",
     {{"name", text, "what it is for"},
      {"holder", text, "who has it, or had it last"},
      {"note", text, "what the holder says of itself"},
      {"epoch", number, "grows with each holder"},
      or_null({"expires_at", moment, "when it ends; null: it was given back"})}},
    {"actor", "A part of a node that works by messages", fields_of_actor()},
    {"caller_kind", "How a service is called", {}, {"http", "exec", "function"}},
    {"circuit_state",
     "closed: calls are let through; half-open: a trial call is",
     {},
     texts_of({c::closed, c::open, c::half_open})},
    {"agent", "What calls one service for the steps of tasks", fields_of_agent()},
    {"circuit",
     "The circuit of an agent at one node",
     {{"node", text, "where it is"}, text_of("circuit", "circuit_state", "as it is now")}},
    {"outward_event",
     "What a webhook is told of",
     {},
     texts_of({e::processed, e::undone, e::error, e::alert, e::incident})},
    {"webhook", "Where notifications are sent", fields_of_webhook()}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace steadfast::api
