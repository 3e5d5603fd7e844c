#include "runtime/node_options.hpp"

#include <algorithm>
#include <set>

namespace steadfast {

namespace {

void add(std::vector<std::string>& found, const std::string& where, const std::vector<std::string>& more) {
  for (const auto& p : more)
    found.push_back(where + p);
}

void check_agents(const node_options& o, std::vector<std::string>& found) {
  std::set<std::string> names;
  for (const auto& a : o.agents) {
    const auto where = "agent `" + a.common.name + "`: ";
    if (!names.insert(a.common.name).second)
      found.push_back(where + "there are two of that name");
    add(found, where, actors::problems(a.common));
    std::visit([&](const auto& kind) { add(found, where, actors::problems(kind)); }, a.kind);
  }
}

void check_lease(const workflow::lease_terms& t, std::vector<std::string>& found) {
  if (t.renew_every <= workflow::span::zero() || t.margin <= workflow::span::zero())
    found.push_back("supervisor.lease: renew_every and margin must be above zero");
  else if (t.renew_every + t.margin >= t.ttl)
    found.push_back("supervisor.lease: ttl must be longer than renew_every and margin together");
}

void check_socket(const node_options& o, std::vector<std::string>& found) {
  constexpr std::size_t path_max = 107; // sockaddr_un
  if (o.socket.string().size() > path_max)
    found.push_back("socket: the path has more than 107 bytes");
}

} // namespace

std::vector<std::string> problems(const node_options& o) {
  std::vector<std::string> found;
  if (o.name.empty() || o.name.size() > workflow::name_size_max)
    found.push_back("name must have 1 to 64 characters");
  check_socket(o, found);
  add(found, "store: ", store::problems(o.store));
  check_agents(o, found);
  for (const auto& d : o.workflows)
    add(found, "workflow `" + d.name + "`: ", workflow::problems(d));
  if (o.in_flight_max == 0)
    found.push_back("scheduler.in_flight_max must be above zero");
  if (o.supervisor_period <= workflow::span::zero() || o.supervisor_slack <= workflow::span::zero())
    found.push_back("supervisor.period and supervisor.slack must be above zero");
  check_lease(o.supervisor_lease, found);
  if (o.drain_limit < workflow::span::zero())
    found.push_back("drain_limit must not be negative");
  return found;
}

} // namespace steadfast
