#include "runtime/control/control_context.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/text/json.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <map>

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds look_limit{500}; ///< for a node to say how it is

json agent_view_json(const actors::agent_view& v) {
  return {{"name", v.name},
          {"kind", v.kind},
          {"circuit", v.circuit},
          {"circuit_open_until", instant_json(v.circuit_open_until)},
          {"circuit_held_open_by", v.held_open_by},
          {"in_flight", v.in_flight},
          {"in_flight_max", v.in_flight_max},
          {"queued", v.queued},
          {"orders", v.orders},
          {"tries", v.tries},
          {"succeeded", v.succeeded},
          {"failed", v.failed},
          {"declined", v.declined},
          {"silenced", v.silenced},
          {"service", v.service},
          {"lately_succeeded", v.lately_succeeded},
          {"lately_refused", v.lately_refused},
          {"lately_failed", v.lately_failed},
          {"p50_ms", v.p50.count()},
          {"p99_ms", v.p99.count()},
          {"last_failure", v.last_failure},
          {"last_failure_at", instant_json(v.last_failure_at)},
          {"last_refusal", v.last_refusal},
          {"last_refusal_at", instant_json(v.last_refusal_at)}};
}

json scheduler_json(const control_context& c) {
  if (!c.parts.scheduler)
    return {};
  const auto v = c.ask<actors::scheduler_view>(c.parts.scheduler, actors::describe{});
  return {{"name", v.name},        {"in_flight", v.in_flight},   {"in_flight_max", v.in_flight_max},
          {"claimed", v.claimed},  {"dispatched", v.dispatched}, {"late", v.late},
          {"draining", v.draining}};
}

json supervisor_json(const control_context& c) {
  if (!c.parts.supervisor)
    return {};
  const auto v = c.ask<actors::supervisor_view>(c.parts.supervisor, actors::describe{});
  return {{"active", v.active},     {"epoch", v.epoch},     {"sweeps", v.sweeps},
          {"reviewed", v.reviewed}, {"decided", v.decided}, {"last_sweep", instant_json(v.last_sweep)}};
}

json writer_json(const control_context& c) {
  if (!c.parts.store)
    return {};
  const auto v = c.ask<actors::store_view>(c.parts.writer, actors::describe{});
  return {{"commits", v.commits},
          {"writes", v.writes},
          {"largest_batch", v.largest_batch},
          {"waiting", v.waiting},
          {"last_commit_us", v.last_commit_us}};
}

json peers_json(const control_context& c) {
  json peers = json::array();
  if (!c.parts.membership)
    return peers;
  for (const auto& p : c.ask<actors::member_page>(c.parts.membership, actors::describe{}).peers)
    peers.push_back({{"node", p.node}, {"address", p.address}, {"connected", p.connected}, {"trouble", p.trouble}});
  return peers;
}

actors::lease_page leases(const control_context& c) {
  return c.ask<actors::lease_page>(c.parts.reader, actors::list_leases{});
}

/// As the store says, or as it said last while it cannot be asked, with why in `trouble`.
actors::lease_page known_leases(const control_context& c, std::string& trouble) {
  try {
    return leases(c);
  } catch (const control_error& e) {
    if (!c.parts.membership)
      throw;
    trouble = e.what();
    return c.ask<actors::lease_page>(c.parts.membership, actors::list_leases{});
  }
}

/// The name of the node that has the store, as far as is known.
std::string node_with_store(const control_context& c) {
  std::string trouble;
  for (const auto& lease : known_leases(c, trouble).leases)
    if (const auto card = workflow::card_of(lease->name, lease->note); card && card->roles.store)
      return card->name;
  return {};
}

json node_json(const workflow::node_card& card, const store::lease& lease, workflow::instant now) {
  return {{"name", card.name},
          {"address", card.address},
          {"roles", to_string(card.roles)},
          {"agents", card.agents},
          {"alive", lease.expires_at > now},
          {"state", "gone"},
          {"supervises", false},
          {"drained", card.drained},
          {"certificate_until", instant_json(card.certificate_until)},
          {"epoch", lease.epoch},
          {"expires_at", instant_json(lease.expires_at)}};
}

/// What they say of themselves, by node: `state` ("alive", "drained" or "silent"), and when the certificate ends.
std::map<std::string, json> words_of(const control_context& c, const std::vector<workflow::node_card>& living) {
  std::map<std::string, json> words;
  for (const auto& a : ask_nodes(c, living, look_limit, [&](const actors::node_front&front, auto limit) -> json {
         const auto told = c.ask<actors::told_time>(front, actors::ask_time{}, limit);
         return {{"state", told.drained ? "drained" : "alive"},
                 {"certificate_until", instant_json(told.certificate_until)}};
       }))
    words[a.node] = a.trouble.empty() ? a.result : json{{"state", "silent"}};
  return words;
}

/// While the store is away no lease can be renewed, and nobody supervises: of the nodes that were known last, those
/// live that answer.
json nodes_without_store(const control_context& c, const actors::lease_page& last) {
  constexpr workflow::span asked_after_end = std::chrono::hours{1}; // it may be back, and cannot say so by its lease
  json nodes = json::array();
  std::vector<workflow::node_card> asked;
  const auto add = [&](const workflow::node_card& card, const store::lease& lease) {
    nodes.push_back(node_json(card, lease, last.now));
    if (lease.expires_at + asked_after_end > last.now)
      asked.push_back(card);
  };
  for (const auto& lease : last.leases)
    if (const auto card = workflow::card_of(lease->name, lease->note))
      add(*card, *lease);
  const auto is_own = [&c](const workflow::node_card& n) { return n.name == c.parts.name; };
  if (std::none_of(asked.begin(), asked.end(), is_own)) {
    const auto is_named_so = [&c](const json& n) { return n.at("name") == c.parts.name; };
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_named_so), nodes.end());
    workflow::node_card own{c.parts.name, {}, {}, {}};
    own.roles = {false, static_cast<bool>(c.parts.scheduler), static_cast<bool>(c.parts.supervisor),
                 !c.parts.agents.empty()};
    add(own, {});
    asked.push_back(own);
  }
  const auto words = words_of(c, asked);
  for (auto& n : nodes) {
    const auto found = words.find(n.at("name").get<std::string>());
    const bool answers = found != words.end() && found->second.at("state") != "silent";
    if (answers)
      n.update(found->second);
    else if (n.at("alive") == true)
      n["state"] = "silent";
    n["alive"] = answers;
  }
  return nodes;
}

} // namespace

store::state_store& control_context::store() const {
  if (parts.store)
    return *parts.store;
  const auto name = node_with_store(*this);
  throw control_error{control_error::refused,
                      "this node has no store: "
                        + (name.empty() ? "ask the node with the role `store`"
                                        : "node `" + name
                                            + "` has it; ask that one, on its host: "
                                              "`-c` its configuration, or `--socket` its socket")};
}

store::store_files& control_context::store_files() const {
  store(); // which says who has one
  if (!parts.files)
    throw control_error{control_error::refused, "the store is in no files of this node"};
  return *parts.files;
}

/// Parts that the node's roles leave out are null.
json describe_node(const control_context& c, const json&) {
  json agents = json::array();
  for (const auto& [name, agent] : c.parts.agents)
    agents.push_back(agent_view_json(c.ask<actors::agent_view>(agent, actors::describe{})));
  return {{"name", c.parts.name},
          {"scheduler", scheduler_json(c)},
          {"supervisor", supervisor_json(c)},
          {"store", writer_json(c)},
          {"agents", agents},
          {"peers", peers_json(c)},
          {"log", {{"lines_lost", log_lines_lost()}}}};
}

/// Every node that ever joined: gone by what its lease says, else as its front answers.
json list_nodes(const control_context& c, const json&) {
  std::string trouble;
  const auto page = known_leases(c, trouble);
  if (!trouble.empty())
    return {{"nodes", nodes_without_store(c, page)}, {"store_trouble", trouble}};
  std::string supervises;
  for (const auto& lease : page.leases)
    if (lease->name == supervisor_lease_name && lease->expires_at > page.now)
      supervises = lease->holder.substr(0, lease->holder.find(':'));
  json nodes = json::array();
  std::vector<workflow::node_card> living;
  for (const auto& lease : page.leases)
    if (const auto card = workflow::card_of(lease->name, lease->note)) {
      nodes.push_back(node_json(*card, *lease, page.now));
      nodes.back()["supervises"] = card->name == supervises;
      if (lease->expires_at > page.now)
        living.push_back(*card);
    }
  const auto words = words_of(c, living);
  for (auto& n : nodes)
    if (const auto found = words.find(n.at("name").get<std::string>()); found != words.end())
      n.update(found->second);
  return {{"nodes", nodes}, {"store_trouble", nullptr}};
}

/// What a holder does under it is refused from then on; whoever campaigns gets it, its holder too.
json release_lease(const control_context& c, const json& params) {
  const auto name = text_of(params, "name");
  const auto page = leases(c);
  const auto found =
    std::find_if(page.leases.begin(), page.leases.end(), [&](const auto& l) { return l->name == name; });
  if (found == page.leases.end())
    throw control_error{control_error::not_found, "there is no lease `" + name + "`"};
  const auto& lease = **found;
  const bool is_of_node = workflow::node_of_lease(name).has_value();
  const bool is_lost = is_of_node && lease.expires_at <= page.now && lease.expires_at != workflow::unset;
  if (is_of_node && !is_lost)
    throw control_error{control_error::refused,
                        lease.expires_at > page.now
                          ? "`" + name + "` says that the node is alive: stop the node, or drain it (`node drain`)"
                          : "the node of `" + name + "` stopped in good order: nothing is held"};
  if (lease.expires_at <= page.now && !is_lost)
    throw control_error{control_error::refused, "nobody holds `" + name + "`"};
  const auto outcome = c.write(store::release_lease{name, lease.holder, lease.epoch});
  if (outcome.result != store::verdict::applied)
    throw control_error{control_error::refused, outcome.why};
  record_act(c, params,
             is_lost ? "said that node " + workflow::quoted(lease.holder) + " is gone for good"
                     : "released lease `" + name + "`, held by " + lease.holder);
  return {{"holder", lease.holder}, {"epoch", lease.epoch}};
}

json list_leases(const control_context& c, const json&) {
  json all = json::array();
  for (const auto& lease : leases(c).leases)
    all.push_back(lease_json(*lease));
  return {{"leases", all}};
}

} // namespace steadfast
