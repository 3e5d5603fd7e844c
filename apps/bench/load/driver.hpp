#pragma once

#include "actors/protocol/protocols.hpp"
#include "apps/bench/load/watched_store.hpp"
#include "apps/bench/load/workload.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace caf {
class actor_system;
}

namespace steadfast::bench {

/// How tasks are submitted.
struct load_plan {
  static constexpr double slot_seconds = 0.1; ///< of the result's "ended_in_slots", from the beginning on

  std::uint32_t in_flight = 0; ///< closed loop: so many tasks at a time; 0: open loop
  double rate = 0; ///< open loop: submissions per second, each due at its moment, whatever happens to others
  bool until_acknowledged = false; ///< a task is in flight until its submission is acknowledged, not until it has ended
  double warm_up = 1;              ///< seconds before measuring begins
  double seconds = 5;              ///< measured
  double drain_limit = 120;        ///< seconds after that for what is in flight to end
  std::uint64_t first = 0;         ///< index of the first task
  std::uint32_t there_before = 0;  ///< closed loop: of the tasks in flight, so many are in the store already
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(load_plan, in_flight, rate, until_acknowledged, warm_up, seconds,
                                                drain_limit, first, there_before)

/// What the driver uses. `store`: none if the node has none; then nobody knows when a task has ended.
struct load_target {
  caf::actor_system& system;
  actors::gateway_actor gateway;
  watched_stores stores;
};

/// Submits as an actor of the node's own process does, with typed messages. Blocks until everything has ended or
/// `is_stopped`, which is called now and then, says so. Throws std::runtime_error if the driver ends early.
nlohmann::json drive(const load_target& target, const workload& w, const load_plan& plan,
                     const std::function<bool()>& is_stopped);

} // namespace steadfast::bench
