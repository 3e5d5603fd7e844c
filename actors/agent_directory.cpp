#include "actors/agent_directory.hpp"

#include "workflow/mutant.hpp"
#include "workflow/retry.hpp"
#include "workflow/routing.hpp"

#include <algorithm>

namespace steadfast::actors {

namespace {

const std::string& agent_of(const workflow::step& s) {
  return s.log.back().agent;
}

const agent_offer* find_node(const std::vector<agent_offer>& places, const std::string& node) {
  const auto found = std::find_if(places.begin(), places.end(), [&](const agent_offer& p) { return p.node == node; });
  return found == places.end() ? nullptr : &*found;
}

bool has_expired(const workflow::step& s, std::uint32_t attempt) {
  return std::any_of(s.log.rbegin(), s.log.rend(), [attempt](const workflow::attempt_record& r) {
    return r.number == attempt && r.outcome == workflow::attempt_outcome::expired;
  });
}

} // namespace

/// What was known of a node that left is forgotten: if it comes back it is another one.
void agent_directory::learn(const agents_alive& m) {
  places_.clear();
  for (const auto& a : m.agents)
    places_[a.name].push_back(a);
  std::erase_if(loads_, [this](const auto& l) { return !find_node(places_of(l.first.first), l.first.second); });
}

const std::vector<agent_offer>& agent_directory::places_of(const std::string& agent) const {
  static const std::vector<agent_offer> none;
  const auto found = places_.find(agent);
  return found == places_.end() ? none : found->second;
}

bool agent_directory::has_order(const workflow::task& t, std::size_t step) const {
  const auto& s = t.steps[step];
  const auto found = sent_.find({t.number, step});
  return found != sent_.end() && found->second.open && found->second.attempt == s.attempt
         && !(workflow::mutant("sent_taken_for_unsent") && !find_node(places_of(agent_of(s)), found->second.to.second));
}

agent_actor agent_directory::route(const workflow::task& t, std::size_t step) {
  const auto& s = t.steps[step];
  const auto& places = places_of(agent_of(s));
  auto& last = sent_[{t.number, step}];
  close(last);
  std::vector<std::uint64_t> loads;
  for (const auto& p : places) {
    const auto known = loads_.find({p.name, p.node});
    loads.push_back(known == loads_.end() ? 0 : known->second.in_flight + known->second.unanswered);
  }
  const auto chosen = workflow::choose_place(loads, workflow::mixed(t.number, step, s.attempt));
  if (!chosen)
    return {};
  last = {s.attempt, {agent_of(s), places[*chosen].node}, true};
  ++loads_[last.to].in_flight;
  return places[*chosen].agent;
}

std::vector<agent_actor> agent_directory::holders(const workflow::task& t, std::size_t step) const {
  const auto& s = t.steps[step];
  const auto& places = places_of(agent_of(s));
  const auto found = sent_.find({t.number, step});
  if (found != sent_.end() && found->second.attempt == s.attempt) {
    const auto* place = find_node(places, found->second.to.second);
    return place ? std::vector{place->agent} : std::vector<agent_actor>{};
  }
  std::vector<agent_actor> all;
  all.reserve(places.size());
  for (const auto& p : places)
    all.push_back(p.agent);
  return all;
}

void agent_directory::heard_of(std::uint64_t task, std::size_t step) {
  const auto found = sent_.find({task, step});
  if (found == sent_.end())
    return;
  if (const auto known = loads_.find(found->second.to); known != loads_.end())
    known->second.unanswered = 0;
}

void agent_directory::settle(const workflow::task& t) {
  for (auto i = sent_.lower_bound({t.number, 0}); i != sent_.end() && i->first.first == t.number; ++i) {
    const auto& s = t.steps[i->first.second];
    auto& o = i->second;
    const bool is_over = s.doing == workflow::attempt_action::none || s.attempt != o.attempt;
    if (!o.open || !is_over)
      continue;
    if (const auto known = loads_.find(o.to); known != loads_.end() && has_expired(s, o.attempt))
      ++known->second.unanswered;
    close(o);
  }
}

void agent_directory::forget(const workflow::task& t) {
  auto i = sent_.lower_bound({t.number, 0});
  while (i != sent_.end() && i->first.first == t.number) {
    close(i->second);
    i = sent_.erase(i);
  }
}

std::vector<agent_load> agent_directory::loads() const {
  std::vector<agent_load> all;
  for (const auto& [agent, places] : places_)
    for (const auto& p : places) {
      const auto known = loads_.find({agent, p.node});
      const auto l = known == loads_.end() ? load{} : known->second;
      all.push_back({agent, p.node, l.in_flight, l.unanswered});
    }
  return all;
}

void agent_directory::close(order_sent& o) {
  if (!std::exchange(o.open, false))
    return;
  if (const auto known = loads_.find(o.to); known != loads_.end() && known->second.in_flight > 0)
    --known->second.in_flight;
}

} // namespace steadfast::actors
