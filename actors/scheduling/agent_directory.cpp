#include "actors/scheduling/agent_directory.hpp"

#include "workflow/definition/retry.hpp"
#include "workflow/definition/routing.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::actors {

namespace {

const std::string& agent_of(const workflow::step& s) {
  return s.log.back().agent;
}

template <class Agents>
auto find_node(const Agents& agents, const std::string& node) {
  const auto found = std::find_if(agents.begin(), agents.end(), [&](const auto& p) { return p->load.node == node; });
  return found == agents.end() ? nullptr : *found;
}

bool has_expired(const workflow::step& s, std::uint32_t attempt) {
  return std::any_of(s.log.rbegin(), s.log.rend(), [attempt](const workflow::attempt_record& r) {
    return r.number == attempt && r.outcome == workflow::attempt_outcome::expired;
  });
}

} // namespace

/// What was known of a node that left is forgotten: if it comes back it counts as a new one.
void agent_directory::learn(const agents_alive& m) {
  const auto before = std::exchange(agents_, {});
  for (const auto& a : m.agents) {
    const auto known = before.find(a.name);
    auto p = known == before.end() ? nullptr : find_node(known->second, a.node);
    if (!p)
      p = std::make_shared<known_agent>(known_agent{{a.name, a.node}, {}});
    p->agent = a.agent;
    agents_[a.name].push_back(std::move(p));
  }
}

const agent_directory::known_agents& agent_directory::agents_of(const std::string& agent) const {
  static const known_agents none;
  const auto found = agents_.find(agent);
  return found == agents_.end() ? none : found->second;
}

const agent_directory::order_sent* agent_directory::last_order(std::uint64_t task, std::size_t step) const {
  const auto found = sent_.find(task);
  const bool is_there = found != sent_.end() && step < found->second.last.size() && found->second.last[step].to;
  return is_there ? &found->second.last[step] : nullptr;
}

bool agent_directory::has_order(const workflow::task& t, std::size_t step) const {
  const auto& s = t.steps[step];
  const auto* last = last_order(t.number, step);
  return last && last->open && last->attempt == s.attempt;
}

agent_actor agent_directory::route(const workflow::task& t, std::size_t step) {
  const auto& s = t.steps[step];
  const auto& candidates = agents_of(agent_of(s));
  auto& orders = sent_[t.number];
  if (orders.last.size() <= step)
    orders.last.resize(step + 1);
  auto& last = orders.last[step];
  close(last);
  std::vector<std::uint64_t> loads;
  loads.reserve(candidates.size());
  for (const auto& p : candidates)
    loads.push_back(p->load.in_flight + p->load.unanswered);
  const auto chosen = workflow::choose_place(loads, workflow::mixed(t.number, step, s.attempt));
  if (!chosen)
    return {};
  last = {s.attempt, candidates[*chosen], true};
  if (std::find(orders.open.begin(), orders.open.end(), step) == orders.open.end())
    orders.open.push_back(step);
  ++last.to->load.in_flight;
  return last.to->agent;
}

std::vector<agent_actor> agent_directory::holders(const workflow::task& t, std::size_t step) const {
  const auto& s = t.steps[step];
  const auto& candidates = agents_of(agent_of(s));
  const auto* last = last_order(t.number, step);
  if (last && last->attempt == s.attempt) {
    const auto p = find_node(candidates, last->to->load.node);
    return p ? std::vector{p->agent} : std::vector<agent_actor>{};
  }
  std::vector<agent_actor> all;
  all.reserve(candidates.size());
  for (const auto& p : candidates)
    all.push_back(p->agent);
  return all;
}

/// One that declines at once must not be asked again before those that are idle, though they let attempts expire.
void agent_directory::heard_of(std::uint64_t task, std::size_t step, bool has_declined) {
  if (const auto* last = last_order(task, step); last)
    last->to->load.unanswered = has_declined ? last->to->load.unanswered + 1 : 0;
}

void agent_directory::settle(const workflow::task& t) {
  const auto found = sent_.find(t.number);
  if (found == sent_.end())
    return;
  std::erase_if(found->second.open, [&](std::size_t i) {
    auto& o = found->second.last[i];
    const auto& s = t.steps[i];
    const bool is_over = s.doing == workflow::attempt_action::none || s.attempt != o.attempt;
    if (!o.open || !is_over)
      return !o.open;
    if (has_expired(s, o.attempt))
      ++o.to->load.unanswered;
    close(o);
    return true;
  });
}

void agent_directory::forget(std::uint64_t task) {
  const auto found = sent_.find(task);
  if (found == sent_.end())
    return;
  for (const auto i : found->second.open)
    close(found->second.last[i]);
  sent_.erase(found);
}

std::vector<agent_load> agent_directory::loads() const {
  std::vector<agent_load> all;
  for (const auto& [agent, known] : agents_)
    for (const auto& p : known)
      all.push_back(p->load);
  return all;
}

void agent_directory::close(order_sent& o) {
  if (std::exchange(o.open, false))
    --o.to->load.in_flight;
}

} // namespace steadfast::actors
