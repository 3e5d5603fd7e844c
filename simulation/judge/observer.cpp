#include "simulation/judge/observer.hpp"

#include "actors/protocol/speak.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/transition/command.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <optional>

namespace steadfast::simulation {

namespace {

std::optional<workflow::process_state> outcome_of(const actors::progress& p) {
  switch (static_cast<workflow::notice_kind>(p.kind)) {
    case workflow::notice_kind::processed: return workflow::process_state::processed;
    case workflow::notice_kind::undone: return workflow::process_state::undone;
    case workflow::notice_kind::error: return workflow::process_state::error;
    default: return std::nullopt;
  }
}

} // namespace

void observer::listen(caf::actor_system& sys, const actors::gateway_actor& gateway) {
  is_first_ = true;
  sys.spawn(
    [this, life = ++life_, gateway](actors::observer_actor::pointer self) -> actors::observer_actor::behavior_type {
      actors::tell(self, gateway, actors::observe{name});
      return {[this, life, self, gateway](const actors::progress& p) {
        hear(life, p);
        actors::tell(self, gateway, actors::progress_seen{p.observer, p.task_number, p.sequence});
      }};
    });
}

std::uint32_t observer::heard_of(std::uint64_t task) const {
  const auto found = heard_.find(task);
  return found == heard_.end() ? 0 : found->second;
}

std::vector<workflow::process_state> observer::outcomes_of(std::uint64_t task) const {
  const auto found = outcomes_.find(task);
  return found == outcomes_.end() ? std::vector<workflow::process_state>{} : found->second;
}

void observer::hear(std::uint64_t life, const actors::progress& p) {
  if (life == life_ && is_first_) {
    is_first_ = false;
    ++caught_up_;
  }
  if (const auto outcome = outcome_of(p))
    outcomes_[p.task_number].push_back(*outcome);
  auto& last = heard_[p.task_number];
  if (p.sequence > last + 1)
    complaints_.push_back(p.task_id + " was told of progress " + std::to_string(p.sequence) + " before "
                          + std::to_string(last + 1));
  last = std::max(last, p.sequence);
}

} // namespace steadfast::simulation
