#pragma once

#include "simulation/judge/watch.hpp"
#include "simulation/run/cluster.hpp"
#include "simulation/world/chance.hpp"
#include "simulation/world/world.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace steadfast::simulation {

/// What people at a console do now and then, at random: to tasks, to circuits of agents, and to nodes. Also a fault of
/// a node that is no injected_fault: its leases are not renewed for a while. They draw from a seed of their own.
class people {
public:
  people(world& w, cluster& c, const watch& seen, std::uint64_t seed)
      : world_{w},
        cluster_{c},
        watch_{seen},
        chance_{seed},
        luck_of_wrong_{~seed},
        luck_of_hasty_{seed ^ (seed >> 7)} {}

  void begin();
  /// They only finish what they have begun: open circuits are closed, drained nodes are started again.
  void end();
  /// A task has left the store: perhaps somebody uses its id again.
  void on_left(const std::string& id);

private:
  void plan_next_act();
  void plan_next_operation();
  void plan_next_wrong_submission();
  void act_on_some_task();
  void plan_next_hasty_act();
  void act_in_haste();
  const workflow::task* some_task_for_haste();
  const workflow::task* one_of_family_in_haste();
  void operate();
  const workflow::task* some_task();

  world& world_;
  cluster& cluster_;
  const watch& watch_;
  chance chance_;
  chance luck_of_wrong_;    ///< of its own, so that the others draw as before
  chance luck_of_hasty_;    ///< likewise
  std::string hasty_about_; ///< id of the task that they act on in haste, so many times more
  std::uint64_t hasty_acts_left_ = 0;
  bool is_over_ = false;
  std::set<std::pair<std::string, std::string>> held_; ///< circuits, by node and agent
};

} // namespace steadfast::simulation
