#include "runtime/control/control_context.hpp"
#include "runtime/control/control_methods.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/text/json.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds look_limit{500}; ///< for a node to describe its state

constexpr auto all_entries = std::numeric_limits<std::uint32_t>::max();

/// What an actor shows of itself, with at most so many entries of each list.
template <class Handle>
actors::actor_state shown_by(const control_context& c, const Handle& actor, std::uint32_t entries = 0) {
  return c.ask<actors::actor_state>(actor, actors::inspect_state{entries});
}

/// The members of the tree, each under its name, or another one after a colon: "tries:calls".
json picked(const json& tree, std::initializer_list<std::string_view> names) {
  auto some = json::object();
  for (const auto name : names) {
    const auto colon = name.find(':');
    some[std::string{name.substr(0, colon)}] =
      tree.at(std::string{colon == std::string_view::npos ? name : name.substr(colon + 1)});
  }
  return some;
}

json agent_json(const control_context& c, const actors::agent_actor& agent) {
  return picked(
    json::parse(shown_by(c, agent).tree),
    {"name",          "kind",     "circuit",      "circuit_open_until", "in_flight",      "circuit_held_open_by",
     "in_flight_max", "queued",   "orders",       "tries:calls",        "succeeded",      "failed",
     "declined",      "silenced", "service",      "lately_succeeded",   "lately_refused", "lately_failed",
     "p50_ms",        "p99_ms",   "last_failure", "last_failure_at",    "last_refusal",   "last_refusal_at"});
}

/// What the actors of several partitions show, as one: numbers are added up, of the rest the first counts that says
/// something. `largest`: of these the largest counts.
json joined(const std::vector<json>& of_partitions, const std::set<std::string>& largest) {
  auto all = of_partitions.empty() ? json{} : of_partitions.front();
  for (std::size_t i = 1; i < of_partitions.size(); ++i)
    for (const auto& [name, value] : of_partitions[i].items()) {
      auto& known = all[name];
      if (value.is_number() && largest.contains(name))
        known = std::max(known.get<std::int64_t>(), value.get<std::int64_t>());
      else if (value.is_number())
        known = known.get<std::int64_t>() + value.get<std::int64_t>();
      else if (known.is_null() || known == "" || known == false)
        known = value;
    }
  return all;
}

json scheduler_json(const control_context& c) {
  std::vector<json> all;
  for (const auto& p : c.parts.partitions) {
    if (!p.scheduler)
      continue;
    const auto state = shown_by(c, p.scheduler);
    all.push_back(
      picked(json::parse(state.tree), {"in_flight_max", "claimed", "dispatched", "late:late_replies", "draining"}));
    all.back()["name"] = c.parts.name;
    all.back()["in_flight"] = state.open;
  }
  return joined(all, {});
}

json supervisor_json(const control_context& c) {
  std::vector<json> all;
  for (const auto& p : c.parts.partitions)
    if (p.supervisor)
      all.push_back(picked(json::parse(shown_by(c, p.supervisor).tree),
                           {"active", "epoch", "sweeps", "reviewed", "decided", "last_sweep:last_sweep_at"}));
  return joined(all, {"epoch"});
}

json store_json(const control_context& c) {
  std::vector<json> all;
  for (const auto& p : c.parts.own->get().partitions)
    if (p.store)
      all.push_back(picked(json::parse(shown_by(c, p.store_actor).tree),
                           {"commits", "writes", "largest_batch", "waiting", "last_commit_us", "trouble"}));
  return joined(all, {"largest_batch", "last_commit_us"});
}

struct known_node {
  workflow::node_card card;
  const store::lease* lease; ///< of the page

  bool is_alive(const actors::lease_page& page) const { return lease->expires_at > page.now; }
};

/// Every node that ever joined.
std::vector<known_node> nodes_of(const actors::lease_page& page) {
  std::vector<known_node> all;
  for (const auto& lease : page.leases)
    if (auto card = workflow::card_of(lease->name, lease->note))
      all.push_back({std::move(*card), &*lease});
  return all;
}

/// The cards of the other nodes that have the store, each a part of it, or of the one that had it last: while the store
/// takes no writes, no lease is renewed.
std::vector<workflow::node_card> others_with_store(const control_context& c, const actors::lease_page& page) {
  std::vector<workflow::node_card> with;
  std::optional<workflow::node_card> last;
  workflow::instant until = workflow::unset;
  for (auto& n : nodes_of(page)) {
    if (!n.card.roles.store || n.card.name == c.parts.name)
      continue;
    if (n.is_alive(page)) {
      with.push_back(std::move(n.card));
    } else if (n.lease->expires_at > until) {
      until = n.lease->expires_at;
      last = std::move(n.card);
    }
  }
  if (with.empty() && last)
    with.push_back(*std::move(last));
  return with;
}

/// As the nodes that have the store say; empty: it takes writes, or they say nothing.
std::string trouble_told(const control_context& c, const actors::lease_page& page) {
  const auto own = c.parts.own->get();
  if (own.count() > 0)
    if (auto trouble = store_json(c).value("trouble", std::string{}); !trouble.empty())
      return trouble;
  if (own.count() == own.partitions.size())
    return {};
  const auto told = ask_nodes(
    c, others_with_store(c, page), node_answer_limit, [&c](const actors::node_front& front, auto limit) -> json {
      for (const auto& a : c.ask<actors::actor_page>(front, actors::list_actors{"store"}, limit).actors)
        return a.answers ? json::parse(a.state.tree).value("trouble", std::string{}) // a former release has none
                         : "node `" + a.node + "` is busy writing to it";
      return "";
    });
  for (const auto& t : told)
    if (t.trouble.empty() && !t.result.get<std::string>().empty())
      return t.result.get<std::string>();
  return {};
}

/// Empty: it takes writes, as far as is known.
std::string trouble_of_store(const control_context& c, const actors::lease_page& page) {
  const auto why = trouble_told(c, page);
  return why.empty() ? "" : "the store takes no writes: " + why;
}

json peers_json(const control_context& c) {
  if (!c.parts.membership)
    return json::array();
  return json::parse(shown_by(c, c.parts.membership, all_entries).tree).at("peers");
}

/// Which node has each partition of the store, as far as this one knows: empty, nobody. None: the store is whole.
std::vector<std::string> nodes_of_partitions(const control_context& c) {
  std::vector<std::string> nodes;
  if (c.parts.partitions.size() > 1 && c.parts.membership)
    nodes = json::parse(shown_by(c, c.parts.membership, all_entries).tree).at("partitions").get<decltype(nodes)>();
  const auto own = c.parts.own->get();
  nodes.resize(c.parts.partitions.size() > 1 ? c.parts.partitions.size() : 0);
  for (std::size_t i = 0; i < nodes.size() && i < own.partitions.size(); ++i)
    if (own.partitions[i].store)
      nodes[i] = c.parts.name;
  return nodes;
}

/// `partitions` of each node: those that it has, if the store has several.
void add_partitions(const control_context& c, json& nodes) {
  const auto with = nodes_of_partitions(c);
  if (with.empty())
    return;
  for (auto& n : nodes) {
    auto& numbers = n["partitions"] = json::array();
    for (std::size_t i = 0; i < with.size(); ++i)
      if (n.at("name") == with[i])
        numbers.push_back(i);
  }
}

actors::lease_page leases(const control_context& c) {
  return c.ask<actors::lease_page>(c.parts.reader, actors::list_leases{});
}

/// As the store says; if it cannot be asked, as it said last, and `trouble` says why.
actors::lease_page known_leases(const control_context& c, std::string& trouble) {
  try {
    return leases(c);
  } catch (const api::error& e) {
    if (!c.parts.membership)
      throw;
    trouble = e.what();
    return c.ask<actors::lease_page>(c.parts.membership, actors::list_leases{});
  }
}

/// Which node has the store, as far as is known; empty: nobody can say.
std::string node_with_store(const control_context& c) {
  std::string trouble;
  const auto page = known_leases(c, trouble);
  for (const auto& n : nodes_of(page))
    if (n.card.roles.store && n.is_alive(page))
      return "node `" + n.card.name + "` has it" + (n.card.address.empty() ? "" : ", at " + n.card.address);
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

/// The answers of the nodes, by name: `state` ("alive", "drained" or "silent"), and when the certificate ends.
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

/// While the store is away or takes no writes, no lease can be renewed, and nobody supervises: of the nodes last known,
/// those that answer are alive.
json nodes_without_store(const control_context& c, const actors::lease_page& last) {
  constexpr workflow::span asked_after_end = std::chrono::hours{1}; // it may be back, but cannot show it by its lease
  json nodes = json::array();
  std::vector<workflow::node_card> asked;
  const auto add = [&](const workflow::node_card& card, const store::lease& lease) {
    nodes.push_back(node_json(card, lease, last.now));
    if (lease.expires_at + asked_after_end > last.now)
      asked.push_back(card);
  };
  for (const auto& n : nodes_of(last))
    add(n.card, *n.lease);
  const auto is_own = [&c](const workflow::node_card& n) { return n.name == c.parts.name; };
  if (std::none_of(asked.begin(), asked.end(), is_own)) {
    const auto is_named_so = [&c](const json& n) { return n.at("name") == c.parts.name; };
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_named_so), nodes.end());
    workflow::node_card own{c.parts.name, {}, {}, {}};
    own.roles = {false, static_cast<bool>(c.parts.partitions.front().scheduler),
                 static_cast<bool>(c.parts.partitions.front().supervisor), !c.parts.agents.empty()};
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

std::vector<std::pair<std::string, std::shared_ptr<store::state_store>>> control_context::stores() const {
  const auto own = parts.own->get();
  std::vector<std::pair<std::string, std::shared_ptr<store::state_store>>> all;
  if (own.store)
    return {{"", own.store}};
  for (std::size_t i = 0; i < own.partitions.size(); ++i)
    if (own.partitions[i].store)
      all.emplace_back("partition " + std::to_string(i) + ": ", own.partitions[i].store);
  if (!all.empty())
    return all;
  const auto with = node_with_store(*this);
  throw api::error{api::error::refused,
                   "this node has no store: " + (with.empty() ? "ask the node with the role `store`" : with)
                     + ". Ask that node: over HTTP at its own `http.listen`, or on its host by `-c` its configuration "
                       "or `--socket` its socket"};
}

std::shared_ptr<store::store_files> control_context::store_files() const {
  stores(); // which says who has one
  auto files = parts.own->get().files;
  if (!files)
    throw api::error{api::error::refused, "this node's store is not in files"};
  return files;
}

/// Parts that the node's roles leave out are null.
json describe_node(const control_context& c, const api::arguments&) {
  json agents = json::array();
  for (const auto& [name, agent] : c.parts.agents)
    agents.push_back(agent_json(c, agent));
  return {{"name", c.parts.name},
          {"scheduler", scheduler_json(c)},
          {"supervisor", supervisor_json(c)},
          {"store", store_json(c)},
          {"agents", agents},
          {"peers", peers_json(c)},
          {"log", {{"lines_lost", log_lines_lost()}}}};
}

/// Gone according to its lease, otherwise as its front answers.
json nodes_by_lease(const control_context& c, const actors::lease_page& page) {
  json nodes = json::array();
  std::vector<workflow::node_card> living;
  for (const auto& n : nodes_of(page)) {
    nodes.push_back(node_json(n.card, *n.lease, page.now));
    if (n.is_alive(page))
      living.push_back(n.card);
  }
  const auto words = words_of(c, living);
  for (auto& n : nodes)
    if (const auto found = words.find(n.at("name").get<std::string>()); found != words.end())
      n.update(found->second);
  return nodes;
}

/// Every node that ever joined.
json list_nodes(const control_context& c, const api::arguments&) {
  std::string why;
  const auto page = known_leases(c, why);
  if (why.empty())
    why = trouble_of_store(c, page);
  const auto trouble = why.empty() ? json{} : json(why);
  json nodes = trouble.is_null() ? nodes_by_lease(c, page) : nodes_without_store(c, page);
  for (const auto& lease : page.leases)
    if (workflow::is_supervisor_lease(lease->name) && lease->expires_at > page.now)
      for (auto& n : nodes)
        if (n.at("name") == lease->holder.substr(0, lease->holder.find(':')))
          n["supervises"] = true;
  add_partitions(c, nodes);
  return {{"nodes", nodes}, {"store_trouble", trouble}};
}

std::string store_trouble(caf::actor_system& sys, const node_parts& parts) {
  constexpr std::chrono::milliseconds patience{1000};
  std::atomic<bool> is_store_read_whole{false};
  kept_stuck_report nothing;
  const control_context c{sys, parts, is_store_read_whole, nothing, nullptr, patience};
  try {
    std::string why;
    const auto page = known_leases(c, why);
    return why.empty() ? trouble_of_store(c, page) : why;
  } catch (const api::error& e) {
    return e.number() == api::error::timed_out ? "the store has not answered for a second" : e.what();
  }
}

std::string scheduler_trouble(const control_context& c) {
  std::string drained;
  try {
    const auto page = leases(c);
    for (const auto& n : nodes_of(page)) {
      if (!n.card.roles.scheduler || !n.is_alive(page))
        continue;
      if (!n.card.drained)
        return {};
      drained += (drained.empty() ? "" : ", ") + workflow::quoted(n.card.name);
    }
  } catch (const api::error&) {
    return {};
  }
  return drained.empty() ? "" : "no node takes tasks until one is restarted; drained: " + drained;
}

/// From then on what the holder does under it is refused. Any candidate can get it, also its last holder.
json release_lease(const control_context& c, const api::arguments& params) {
  const auto name = params.text("name");
  const auto page = leases(c);
  const auto found =
    std::find_if(page.leases.begin(), page.leases.end(), [&](const auto& l) { return l->name == name; });
  if (found == page.leases.end())
    throw api::error{api::error::not_found, "there is no lease `" + name + "`"};
  const auto& lease = **found;
  const bool is_of_node = workflow::node_of_lease(name).has_value();
  const bool is_lost = is_of_node && lease.expires_at <= page.now && lease.expires_at != workflow::unset;
  if (is_of_node && !is_lost)
    throw api::error{api::error::refused,
                     lease.expires_at > page.now
                       ? "`" + name + "` says that the node is alive: stop the node, or drain it (`node drain`)"
                       : "the node of `" + name + "` stopped in good order: nothing is held"};
  if (lease.expires_at <= page.now && !is_lost)
    throw api::error{api::error::refused, "nobody holds `" + name + "`"};
  const auto outcome = c.write(store::release_lease{name, lease.holder, lease.epoch});
  if (outcome.result != store::write_status::applied)
    throw api::error{api::error::refused, outcome.why};
  record_done(c, params,
              is_lost ? "said that node " + workflow::quoted(lease.holder) + " is gone for good"
                      : "released lease `" + name + "`, held by " + lease.holder);
  return {{"holder", lease.holder}, {"epoch", lease.epoch}};
}

json list_leases(const control_context& c, const api::arguments&) {
  json all = json::array();
  for (const auto& lease : leases(c).leases)
    all.push_back(lease_json(*lease));
  return {{"leases", all}};
}

} // namespace steadfast
