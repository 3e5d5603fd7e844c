// One clock for a whole cluster: every node is given the same singleton, and the one that holds its lease has the
// instance. When that node is stopped or lost, another one takes over.
//
//     cluster_singleton CONFIG [SECONDS]
//
// Start it with the configurations of two nodes (docs/cluster.md) and end the one that ticks.

#include "steadfast/actors.hpp"
#include "steadfast/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>

namespace {

using clock_actor = steadfast::singleton_actor::extend<caf::reacts_to<caf::tick_atom>>;

class clock_keeper : public clock_actor::base {
public:
  explicit clock_keeper(caf::actor_config& cfg) : clock_actor::base{cfg} {}

  behavior_type make_behavior() override {
    send(clock_actor{this}, caf::tick_atom_v);
    return {
      [this](const steadfast::lease_held& m) { epoch_ = m.epoch; },
      [this](caf::tick_atom) {
        // Whatever it writes elsewhere must name the epoch, so that a former holder can be refused there.
        std::cout << "tick under epoch " << epoch_ << std::endl;
        delayed_send(clock_actor{this}, std::chrono::seconds{1}, caf::tick_atom_v);
      },
    };
  }

private:
  std::uint64_t epoch_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || argv[1][0] == '-') {
    std::cerr << "usage: cluster_singleton CONFIG [SECONDS]\n";
    return 2;
  }
  try {
    auto node = steadfast::node::from_config(argv[1]);
    with_lease(node, "clock", [](caf::actor_system& sys) { return sys.spawn<clock_keeper>(); });
    node.start();
    std::this_thread::sleep_for(std::chrono::seconds{argc == 3 ? std::stoi(argv[2]) : 60});
    node.stop();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
