#include "runtime/configuration/node_options.hpp"

#include "workflow/text/name.hpp"

#include <algorithm>
#include <set>

namespace steadfast {

namespace {

void add(std::vector<std::string>& found, const std::string& where, const std::vector<std::string>& more) {
  for (const auto& p : more)
    found.push_back(where + p);
}

/// Mistakes in the secrets among its headers or variables, without their values.
std::vector<std::string> secret_problems(const agent_entry& a) {
  std::vector<std::string> found;
  const bool is_http = std::holds_alternative<actors::http_options>(a.kind);
  for (const auto& [name, value] : a.secrets)
    if (auto wrong = (is_http ? actors::header_problem : actors::variable_problem)(name, value.reveal());
        !wrong.empty())
      found.push_back(std::move(wrong));
  return found;
}

void check_agents(const node_options& o, std::vector<std::string>& found) {
  std::set<std::string> names;
  for (const auto& a : o.agents) {
    const auto where = "agent " + workflow::quoted(a.common.name) + ": ";
    if (!names.insert(a.common.name).second)
      found.push_back(where + "there are two of that name");
    add(found, where, problems(a));
  }
}

void check_webhooks(const node_options& o, std::vector<std::string>& found) {
  std::set<std::string> names;
  for (const auto& w : o.webhooks) {
    const auto where = "webhook " + workflow::quoted(w.what.webhook) + ": ";
    if (!names.insert(w.what.webhook).second)
      found.push_back(where + "there are two of that name");
    add(found, where, problems(w));
  }
  if (!o.roles.store && !o.webhooks.empty())
    found.emplace_back("webhook: they are delivered by the node with the role `store`, name them there");
}

void check_lease(const std::string& where, const workflow::lease_terms& t, std::vector<std::string>& found) {
  if (t.renew_every <= workflow::span::zero() || t.margin <= workflow::span::zero())
    found.push_back(where + ": renew_every and margin must be above zero");
  else if (t.renew_every + t.margin >= t.ttl)
    found.push_back(where + ": ttl must be longer than renew_every and margin together");
}

void check_workflows(const node_options& o, std::vector<std::string>& found) {
  if (!o.roles.store && !o.workflows.empty())
    found.push_back("workflows: they are registered by the node with the role `store`, name them there");
  for (const auto& d : o.workflows)
    add(found, "workflow " + workflow::quoted(d.name) + ": ", workflow::problems(d));
}

void check_socket(const node_options& o, std::vector<std::string>& found) {
  constexpr std::size_t path_max = 107; // sockaddr_un
  if (o.socket.string().size() > path_max)
    found.push_back("control.socket: the path has more than 107 bytes, the most for the path of a socket");
}

void check_log(const log_options& o, std::vector<std::string>& found) {
  const std::set<std::string> known{"trace", "debug", "info", "warning", "error", "off"};
  if (!known.contains(o.level))
    found.push_back("log.level " + workflow::quoted(o.level) + " must be trace, debug, info, warning, error or off");
}

} // namespace

std::vector<std::string> problems(const agent_entry& a) {
  auto found = std::visit([](const auto& kind) { return actors::problems(kind); }, a.kind);
  add(found, "", secret_problems(a));
  add(found, "", actors::problems(a.common));
  return found;
}

std::vector<std::string> partition_problems(const node_options& o, std::uint32_t partitions) {
  std::vector<std::string> found;
  if (o.partitions != 0 && o.partitions != partitions)
    found.push_back("store.partitions is " + std::to_string(o.partitions) + ", and the store has "
                    + std::to_string(partitions) + ", for as long as it is there: set it to "
                    + std::to_string(partitions));
  const auto check = [&](const char* option, std::uint64_t value, const char* none) {
    if (partitions > 1 && value < partitions)
      found.push_back(std::string{option} + " is " + std::to_string(value) + ", and is shared by the "
                      + std::to_string(partitions) + " partitions of the store: it must be at least "
                      + std::to_string(partitions) + none);
  };
  check("scheduler.in_flight_max", o.in_flight_max, "");
  check("bulk.rate", o.bulk_rate, "");
  if (o.backlog_max != 0)
    check("store.backlog_max", o.backlog_max, ", or 0 for no limit");
  return found;
}

store::postgres_store_options postgres_options_of(const node_options& o, std::string holder) {
  store::postgres_store_options to;
  to.where = {o.store_server.url, o.store_server.password.reveal(), o.store_server.schema};
  to.holder = std::move(holder);
  to.lease = o.store_server.lease;
  to.limits = o.store;
  return to;
}

std::vector<std::string> problems(const node_options& o) {
  std::vector<std::string> found;
  if (!workflow::is_name(o.name))
    found.push_back("name " + workflow::quoted(o.name) + " must be " + std::string{workflow::name_rule});
  check_socket(o, found);
  add(found, "store: ", store::problems(o.store));
  if (o.store_server.is_used())
    add(found, "store: ", store::problems(postgres_options_of(o, {})));
  add(found, "", partition_problems(o, o.partitions));
  check_agents(o, found);
  check_webhooks(o, found);
  add(found, "tracing.", problems(o.tracing));
  check_workflows(o, found);
  add(found, "", problems(o.cluster, o.roles));
  add(found, "", problems(o.http));
  check_log(o.log, found);
  if (o.in_flight_max == 0)
    found.push_back("scheduler.in_flight_max must be above zero");
  if (o.supervisor_period <= workflow::span::zero() || o.supervisor_slack <= workflow::span::zero())
    found.push_back("supervisor.period and supervisor.slack must be above zero");
  if (o.supervisor_period >= o.supervisor_lease.ttl - o.supervisor_lease.margin)
    found.push_back("supervisor.period must be shorter than supervisor.lease.ttl without its margin");
  add(found, "", workflow::problems(o.retention));
  add(found, "", workflow::problems(o.conditions));
  if (o.conditions_period <= workflow::span::zero())
    found.push_back("conditions.period must be above zero");
  check_lease("supervisor.lease", o.supervisor_lease, found);
  check_lease("cluster.lease", o.cluster.lease, found);
  if (o.drain_limit < workflow::span::zero())
    found.push_back("shutdown.drain_limit must not be negative");
  return found;
}

} // namespace steadfast
