// People's questions about the actors of any node: each node's front is asked for its own.

#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace steadfast {

namespace {

using nlohmann::json;

/// The nodes that live, as far as is known.
struct known_nodes {
  std::vector<workflow::node_card> living;
  std::optional<api::error> trouble; ///< the store cannot be asked, so others may live
};

/// Every living node; only this one if the store cannot be asked, or it is in no cluster.
known_nodes living_nodes(const control_context& c) {
  if (!c.parts.dialer)
    return {{{c.parts.name, {}, {}, {}}}, {}};
  known_nodes known;
  auto& nodes = known.living;
  try {
    const auto page = c.ask<actors::lease_page>(c.parts.reader, actors::list_leases{}, node_answer_limit);
    for (const auto& lease : page.leases)
      if (auto card = workflow::card_of(lease->name, lease->note); card && lease->expires_at > page.now)
        nodes.push_back(*std::move(card));
  } catch (const api::error& e) {
    known.trouble = e;
  }
  const auto is_own = [&](const workflow::node_card& n) { return n.name == c.parts.name; };
  if (std::none_of(nodes.begin(), nodes.end(), is_own))
    nodes.push_back({c.parts.name, {}, {}, {}});
  return known;
}

/// That there is none of a name can only be said when all are known.
[[noreturn]] void refuse_absent(const known_nodes& known, const std::string& why) {
  if (known.trouble)
    throw api::error{*known.trouble};
  throw api::error{api::error::not_found, why};
}

known_nodes chosen_nodes(const control_context& c, const std::string& name) {
  auto known = living_nodes(c);
  if (name.empty())
    return known;
  std::erase_if(known.living, [&](const workflow::node_card& n) { return n.name != name; });
  if (known.living.empty())
    refuse_absent(known, "there is no living node `" + name + "`");
  return known;
}

/// Another node.
actors::reached_node reach(const control_context& c, const workflow::node_card& n, std::chrono::milliseconds limit) {
  if (!c.parts.dialer || n.address.empty())
    throw api::error{api::error::refused, "it cannot be reached from here"};
  return c.ask<actors::reached_node>(c.parts.dialer, actors::dial{n.address}, limit);
}

actors::node_front front_of(const control_context& c, const workflow::node_card& n, std::chrono::milliseconds limit) {
  return n.name == c.parts.name ? actors::node_front{c.parts.front} : reach(c, n, limit).front;
}

json actor_json(const actors::actor_view& a) {
  const auto& m = a.mailbox;
  return {{"id", a.id},
          {"kind", a.kind},
          {"node", a.node},
          {"answers", a.answers},
          {"summary", a.state.summary},
          {"open", a.state.open},
          {"waiting", m.waiting},
          {"handled", m.handled},
          {"per_second", m.per_second},
          {"last_message", m.last_message},
          {"last_took_us", m.last_took_us},
          {"busy_for_ms", m.busy_for.count()}};
}

/// "node `b`: it does not answer"; empty: all answered.
std::string silent_ones(const std::vector<node_answer>& answers) {
  std::string names;
  for (const auto& a : answers)
    if (!a.trouble.empty())
      names += (names.empty() ? "" : "; ") + ("node `" + a.node + "`: " + a.trouble);
  return names;
}

/// Nobody who answered has such an agent.
[[noreturn]] void refuse_unknown_agent(const known_nodes& known, const std::vector<node_answer>& answers,
                                       const std::string& name) {
  const auto agent = "an agent `" + name + "`";
  if (const auto silent = silent_ones(answers); !silent.empty() && !known.trouble)
    throw api::error{api::error::timed_out, "no node that answers has " + agent + "; " + silent};
  refuse_absent(known, "no living node has " + agent);
}

json troubles_json(const std::vector<node_answer>& answers, const std::optional<api::error>& trouble) {
  auto list = json::array();
  for (const auto& a : answers)
    if (!a.trouble.empty())
      list.push_back({{"node", a.node}, {"why", a.trouble}});
  if (trouble)
    list.push_back({{"node", ""}, {"why", std::string{"the other nodes are not known: "} + trouble->what()}});
  return list;
}

} // namespace

std::vector<node_answer> ask_nodes(const control_context& c, const std::vector<workflow::node_card>& nodes,
                                   std::chrono::milliseconds limit, const front_question& ask) {
  std::vector<std::future<node_answer>> pending;
  pending.reserve(nodes.size());
  for (const auto& n : nodes)
    pending.push_back(std::async(std::launch::async, [&c, &n, &ask, limit]() -> node_answer {
      try {
        return {n.name, ask(front_of(c, n, limit), limit), {}, false};
      } catch (const api::error& e) {
        const bool is_silent = e.number() == api::error::timed_out;
        return {n.name, {}, is_silent ? "it does not answer" : e.what(), is_silent};
      }
    }));
  std::vector<node_answer> answers;
  answers.reserve(pending.size());
  for (auto& p : pending)
    answers.push_back(p.get());
  return answers;
}

json list_actors(const control_context& c, const api::arguments& params) {
  const actors::list_actors which{params.text("kind")};
  const auto nodes = chosen_nodes(c, params.text("node"));
  const auto answers = ask_nodes(c, nodes.living, node_answer_limit, [&](const actors::node_front& front, auto limit) {
    auto list = json::array();
    for (const auto& a : c.ask<actors::actor_page>(front, which, limit).actors)
      list.push_back(actor_json(a));
    return list;
  });
  auto all = json::array();
  for (const auto& a : answers)
    for (const auto& actor : a.result)
      all.push_back(actor);
  return {{"actors", all}, {"silent_nodes", troubles_json(answers, nodes.trouble)}};
}

namespace {

/// The actors of that kind at those nodes, as each sees itself; each has a name.
std::vector<node_answer> named_actors(const control_context& c, const known_nodes& nodes, const std::string& kind,
                                      const std::string& wanted = {}) {
  return ask_nodes(c, nodes.living, node_answer_limit, [&](const actors::node_front& front, auto limit) {
    auto list = json::array();
    for (const auto& a : c.ask<actors::actor_page>(front, actors::list_actors{kind}, limit).actors) {
      auto one = a.answers ? json::parse(a.state.tree) : json::object();
      one["name"] = a.id.substr(a.kind.size() + 1, a.id.rfind('@') - a.kind.size() - 1);
      one["node"] = a.node;
      one["answers"] = a.answers;
      if (wanted.empty() || wanted == one["name"])
        list.push_back(std::move(one));
    }
    return list;
  });
}

json all_of(const std::vector<node_answer>& answers) {
  auto all = json::array();
  for (const auto& a : answers)
    for (const auto& one : a.result)
      all.push_back(one);
  return all;
}

} // namespace

/// Of every living node, according to the mailbox and the agent itself.
json list_agents(const control_context& c, const api::arguments& params) {
  const auto wanted = params.text("agent");
  const auto nodes = chosen_nodes(c, params.text("node"));
  const auto answers = named_actors(c, nodes, "agent", wanted);
  auto all = all_of(answers);
  for (auto& agent : all)
    agent.erase("attempts"); // `actor.show` tells of them
  if (all.empty() && !wanted.empty())
    refuse_unknown_agent(nodes, answers, wanted);
  return {{"agents", all}, {"silent_nodes", troubles_json(answers, nodes.trouble)}};
}

json list_webhooks(const control_context& c, const api::arguments&) {
  const auto nodes = living_nodes(c);
  const auto answers = named_actors(c, nodes, "webhook");
  return {{"webhooks", all_of(answers)}, {"silent_nodes", troubles_json(answers, nodes.trouble)}};
}

namespace {

/// At a node that has the store, of those that can be asked for it; the others are not known.
actors::webhook_tried tested_elsewhere(const control_context& c, const std::string& name) {
  const auto nodes = living_nodes(c);
  if (nodes.trouble)
    throw api::error{*nodes.trouble};
  std::optional<api::error> absent;
  for (const auto& n : nodes.living) {
    if (!n.roles.store || n.name == c.parts.name)
      continue;
    const auto reached = reach(c, n, node_answer_limit);
    if (!reached.tests_webhooks)
      continue;
    try {
      const auto front = caf::actor_cast<actors::whole_front>(reached.front);
      return c.ask<actors::webhook_tried>(front, actors::test_named_webhook{name});
    } catch (const api::error& e) {
      if (e.number() == api::error::timed_out) // it may have been sent
        throw;
      absent = api::error{api::error::not_found, e.what()};
    }
  }
  if (absent)
    throw api::error{*absent};
  static_cast<void>(c.stores()); // says which node has it, and the webhooks with it
  throw api::error{api::error::not_found, "this node has no webhook `" + name + "`"};
}

} // namespace

json test_webhook(const control_context& c, const api::arguments& params) {
  const auto name = params.text("webhook");
  const auto own = c.parts.own->get();
  const auto webhooks = own.webhooks();
  const auto found = webhooks.find(name);
  if (found == webhooks.end() && own.count() > 0)
    throw api::error{api::error::not_found, "this node has no webhook `" + name + "`"};
  const auto tried = found != webhooks.end() ? c.ask<actors::webhook_tried>(found->second, actors::test_webhook{})
                                             : tested_elsewhere(c, name);
  return {{"delivered", tried.delivered}, {"why", tried.why}, {"took_ms", tried.took.count()}};
}

json show_actor(const control_context& c, const api::arguments& params) {
  const auto id = params.text("id");
  const auto at = id.rfind('@');
  if (at == std::string::npos)
    throw api::error{api::error::invalid_params,
                     "`" + id + "` is not the id of an actor: they look like scheduler@" + c.parts.name};
  const actors::find_actor which{id, params.number<std::uint32_t>("max")};
  const auto nodes = chosen_nodes(c, id.substr(at + 1));
  const auto answer = ask_nodes(c, nodes.living, node_answer_limit, [&](const actors::node_front& front, auto limit) {
                        const auto a = c.ask<actors::actor_view>(front, which, limit);
                        auto shown = actor_json(a);
                        shown["state"] = a.answers ? json::parse(a.state.tree) : json{};
                        return shown;
                      }).front();
  if (!answer.trouble.empty())
    throw api::error{answer.is_silent ? api::error::timed_out : api::error::not_found,
                     "node `" + answer.node + "`: " + answer.trouble};
  return answer.result;
}

/// Answered when it has begun.
json drain_node(const control_context& c, const api::arguments& params) {
  const workflow::span limit{params.number<std::int64_t>("limit_ms")};
  const auto name = params.text("node");
  if (name.empty()) // chosen_nodes would take all nodes
    throw api::error{api::error::invalid_params, "`node` must be the name of a node"};
  const auto node = chosen_nodes(c, name).living.front();
  record_act(c, params, "drained node " + workflow::quoted(node.name));
  caf::scoped_actor self{c.sys};
  self->send(front_of(c, node, node_answer_limit), actors::drain_node{limit});
  return json::object();
}

/// At every node that has an agent of that name. Recorded first: what cannot be recorded is not done.
json set_circuit(const control_context& c, const api::arguments& params) {
  const auto name = params.text("agent");
  const actors::set_circuit word{params.flag("open"), params.text("who"), params.text("why")};
  const auto agents_of = [&](const actors::node_front& front, auto limit) {
    auto named = c.ask<actors::node_offer>(front, actors::hello{}, limit).agents;
    std::erase_if(named, [&](const auto& a) { return a.name != name; });
    return named;
  };
  const auto nodes = living_nodes(c);
  if (nodes.trouble)
    throw api::error{*nodes.trouble};
  const auto looked =
    ask_nodes(c, nodes.living, node_answer_limit,
              [&](const actors::node_front& front, auto limit) -> json { return !agents_of(front, limit).empty(); });
  std::vector<workflow::node_card> having;
  std::vector<node_answer> silent;
  for (std::size_t i = 0; i < nodes.living.size(); ++i)
    if (!looked[i].trouble.empty())
      silent.push_back(looked[i]);
    else if (looked[i].result == true)
      having.push_back(nodes.living[i]);
  if (having.empty())
    refuse_unknown_agent(nodes, looked, name);
  record_act(c, params, (word.open ? "opened" : "closed") + (" the circuit of agent `" + name + "`"));
  auto at = json::array();
  for (auto& a : ask_nodes(c, having, node_answer_limit, [&](const actors::node_front&front, auto limit) {
         json circuit;
         for (const auto& agent : agents_of(front, limit))
           circuit = c.ask<actors::agent_view>(agent.agent, word, limit).circuit;
         return circuit;
       }))
    if (a.result.is_string())
      at.push_back({{"node", a.node}, {"circuit", a.result}});
    else
      silent.push_back(std::move(a));
  return {{"agents", at}, {"silent_nodes", troubles_json(silent, nodes.trouble)}};
}

} // namespace steadfast
