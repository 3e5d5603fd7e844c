// Partitions of the store have an actor of a kind each: what they tell is added up, or the one that is
// worst off counts.

#include "runtime/metrics/told.hpp"

#include <nlohmann/json.hpp>

namespace steadfast {

namespace {

using nlohmann::json;

double number(const json& tree, const char* name) {
  return tree.at(name).get<double>();
}

double yes(const json& tree, const char* name) {
  return tree.at(name) == true ? 1 : 0;
}

double seconds(const json& tree, const char* name) {
  return number(tree, name) / 1000;
}

void write_store(page_writer& page, const json& store) {
  page.add_least("steadfast_store_takes_writes", store.at("trouble") == "" && store.at("stopped") == false ? 1 : 0);
  page.add("steadfast_store_waiting_writes", number(store, "waiting"));
}

void write_lease(page_writer& page, const json& lease) {
  const std::vector<std::string> name{lease.at("name").get<std::string>()};
  page.add_least("steadfast_lease_held", yes(lease, "held"), name);
  page.add_largest("steadfast_lease_epoch", number(lease, "epoch"), name);
  page.add_least("steadfast_lease_left_seconds", seconds(lease, "time_left_ms"), name);
}

void write_supervisor(page_writer& page, const json& supervisor) {
  page.add_least("steadfast_supervisor_active", yes(supervisor, "active"));
  page.add("steadfast_supervisor_sweeps_total", number(supervisor, "sweeps"));
  page.add("steadfast_supervisor_decisions_total", number(supervisor, "decided"));
}

void write_scheduler(page_writer& page, const json& scheduler, std::uint64_t open) {
  page.add("steadfast_scheduler_tasks", static_cast<double>(open));
  page.add("steadfast_scheduler_tasks_max", number(scheduler, "in_flight_max"));
  page.add("steadfast_scheduler_claimed_total", number(scheduler, "claimed"));
  page.add("steadfast_scheduler_orders_total", number(scheduler, "dispatched"));
  page.add("steadfast_late_replies_total", number(scheduler, "late_replies"));
  page.add_largest("steadfast_draining", yes(scheduler, "draining"));
}

void write_agent(page_writer& page, const json& agent) {
  const auto name = agent.at("name").get<std::string>();
  const auto state = agent.at("circuit").get<std::string>();
  for (const auto* each : {"closed", "open", "half-open"})
    page.add("steadfast_circuit", state == each ? 1 : 0, {name, each});
  page.add("steadfast_agent_calls", number(agent, "in_flight"), {name});
  page.add("steadfast_agent_calls_max", number(agent, "in_flight_max"), {name});
  page.add("steadfast_agent_waiting", number(agent, "queued"), {name});
}

void write_webhook(page_writer& page, const json& webhook) {
  const auto name = webhook.at("name").get<std::string>();
  page.add("steadfast_webhook_waiting", number(webhook, "waiting"), {name});
  page.add_largest("steadfast_webhook_oldest_seconds", seconds(webhook, "oldest_ms"), {name});
  for (const auto* each : {"delivered", "failed", "given_up"})
    page.add("steadfast_webhook_notifications_total", number(webhook, each), {name, each});
}

void write_state(page_writer& page, const actors::actor_view& a) {
  const auto tree = json::parse(a.state.tree);
  if (a.kind == "store")
    write_store(page, tree);
  else if (a.kind == "lease")
    write_lease(page, tree);
  else if (a.kind == "supervisor")
    write_supervisor(page, tree);
  else if (a.kind == "scheduler")
    write_scheduler(page, tree, a.state.open);
  else if (a.kind == "agent")
    write_agent(page, tree);
  else if (a.kind == "webhook")
    write_webhook(page, tree);
}

} // namespace

void write_actor_metrics(page_writer& page, const told_by_parts& told) {
  page.add_largest("steadfast_silent_parts", told.actors ? 0 : 1, {"front"});
  if (!told.actors)
    return;
  for (const auto& a : told.actors->actors) {
    page.add("steadfast_mailbox_messages", static_cast<double>(a.mailbox.waiting), {a.kind});
    page.add("steadfast_messages_total", static_cast<double>(a.mailbox.handled), {a.kind});
    page.add_largest("steadfast_actor_busy_seconds", std::chrono::duration<double>{a.mailbox.busy_for}.count(),
                     {a.kind});
    page.add("steadfast_silent_parts", a.answers ? 0 : 1, {a.kind});
    if (a.answers)
      write_state(page, a);
  }
}

} // namespace steadfast
