#include "runtime/simulation/services.hpp"

#include "runtime/simulation/documents.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::simulation {

using workflow::attempt_action;

actors::agent_function services::agent(const std::string& node) {
  return actors::async_function{
    [this, node](const actors::call& what, actors::answer_to answer) { call(node, what, std::move(answer)); }};
}

void services::call(const std::string& node, const actors::call& what, actors::answer_to answer) {
  ++calls_;
  under_way_[what.key] = node;
  world_.tell("call of " + what.key + ", attempt " + std::to_string(what.attempt) + ", with "
              + std::to_string((what.complete_by - what.began_at).count()) + " ms left");
  const auto latency = world_.chance().between(faults_.latency_min, faults_.latency_max);
  if (latency >= what.complete_by - what.began_at) // its connection is closed before it has arrived
    return hung_.push_back(std::move(answer));
  world_.in(latency, [this, what, sent_at = world_.now(), answer = std::move(answer)] {
    under_way_.erase(what.key);
    handle(what, sent_at, answer);
  });
}

bool services::is_calling(const std::string& node) const {
  return std::any_of(under_way_.begin(), under_way_.end(), [&](const auto& x) { return x.second == node; });
}

bool services::is_called_from_elsewhere(const std::string& key, const std::string& node) const {
  const auto found = under_way_.find(key);
  return found != under_way_.end() && found->second != node;
}

void services::forget(const std::string& node) {
  std::erase_if(under_way_, [&](const auto& x) { return x.second == node; });
}

/// The request has arrived. Stopped calls are broken connections: what has not taken place by then does not.
void services::handle(const actors::call& what, moment sent_at, const actors::answer_to& answer) {
  if (what.stop.stop_requested()) {
    world_.reached(34);
    return answer(actors::failed_for_now("stopped"));
  }
  if (what.action == attempt_action::probe)
    return answer(was_done(what.reverses) ? actors::succeeded(results_[what.reverses]) : actors::did_not_happen());
  const bool is_new = what.action == attempt_action::perform && !was_done(what.key);
  auto luck = world_.chance().below(1000);
  const auto comes = [&luck](std::uint32_t permille) {
    const bool yes = luck < permille;
    luck -= yes ? 0 : permille;
    return yes;
  };
  if (refused_.contains(what.key) || (comes(faults_.refuses_permille) && is_new)) {
    refused_.insert(what.key);
    return answer(actors::failed_for_good("refused"));
  }
  if (what.action == attempt_action::compensate && comes(faults_.undo_refused_permille))
    return answer(actors::failed_for_good("cannot be undone"));
  if (comes(faults_.busy_permille))
    return answer(actors::failed_for_now("busy", false));
  if (comes(faults_.hangs_permille))
    return hung_.push_back(answer); // dropping it would be an answer
  const auto good = act(what, sent_at);
  if (comes(faults_.goes_silent_permille)) {
    world_.reached(22);
    return hung_.push_back(answer);
  }
  answer(comes(faults_.fails_permille) ? actors::failed_for_now("failed after it took place") : good);
}

actors::answer services::act(const actors::call& what, moment sent_at) {
  if (what.action == attempt_action::compensate) {
    reversed_.try_emplace(what.reverses, world_.now());
    return actors::succeeded();
  }
  if (const auto reversed = reversed_.find(what.key); reversed != reversed_.end()) {
    if (sent_at > reversed->second)
      complaints_.push_back(what.key + " was sent out after its undo");
    return actors::failed_for_good("it was undone");
  }
  done_.insert(what.key);
  world_.tell("it takes place: " + what.key);
  return actors::succeeded(result_of(what));
}

std::string services::result_of(const actors::call& what) {
  const auto known = results_.find(what.key);
  if (known != results_.end())
    return known->second;
  const auto d = std::find_if(workflows_.begin(), workflows_.end(),
                              [&](const workflow::definition& x) { return x.name == what.workflow; });
  auto result = d == workflows_.end() ? "{}" : sample_result(*d, what.step, world_.chance());
  return results_[what.key] = std::move(result);
}

} // namespace steadfast::simulation
