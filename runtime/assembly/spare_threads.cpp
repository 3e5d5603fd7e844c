#include "runtime/assembly/spare_threads.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace steadfast {

namespace {
using stand_aside = caf::atom_constant<caf::atom("aside")>;
}

spare_threads::spare_threads(caf::actor_system& sys, std::size_t count) {
  for (std::size_t place = 0; place < count; ++place) {
    holders_.push_back(sys.spawn([gate = gate_, place](caf::event_based_actor*) -> caf::behavior {
      return {[gate, place](stand_aside) {
        std::unique_lock lock{gate->mutex};
        gate->opens.wait(lock, [&] { return place < gate->running; });
      }};
    }));
    caf::anon_send(holders_.back(), stand_aside::value);
  }
}

spare_threads::~spare_threads() {
  run(holders_.size());
  for (const auto& holder : holders_)
    caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
}

void spare_threads::run(std::size_t wanted) {
  wanted = std::min(wanted, holders_.size());
  std::unique_lock lock{gate_->mutex};
  const auto before = std::exchange(gate_->running, wanted);
  lock.unlock();
  if (wanted > before)
    gate_->opens.notify_all();
  for (auto place = wanted; place < before; ++place)
    caf::anon_send(holders_[place], stand_aside::value);
}

} // namespace steadfast
