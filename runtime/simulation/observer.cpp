#include "runtime/simulation/observer.hpp"

#include "actors/messages.hpp"
#include "actors/speak.hpp"
#include "actors/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace steadfast::simulation {

void observer::listen(caf::actor_system& sys, const actors::gateway_actor& gateway) {
  is_first_ = true;
  sys.spawn(
    [this, life = ++life_, gateway](actors::observer_actor::pointer self) -> actors::observer_actor::behavior_type {
      actors::tell(self, gateway, actors::observe{name});
      return {[this, life, self, gateway](const actors::progress& p) {
        hear(life, p.task_id, p.sequence);
        actors::tell(self, gateway, actors::progress_seen{p.observer, p.task_number, p.sequence});
      }};
    });
}

std::uint32_t observer::heard_of(const std::string& task) const {
  const auto found = heard_.find(task);
  return found == heard_.end() ? 0 : found->second;
}

void observer::hear(std::uint64_t life, const std::string& task, std::uint32_t sequence) {
  if (life == life_ && is_first_) {
    is_first_ = false;
    ++caught_up_;
  }
  auto& last = heard_[task];
  if (sequence > last + 1)
    complaints_.push_back(task + " was told of progress " + std::to_string(sequence) + " before "
                          + std::to_string(last + 1));
  last = std::max(last, sequence);
}

} // namespace steadfast::simulation
