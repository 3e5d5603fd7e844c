#pragma once

#include "actors/clock.hpp"
#include "actors/options.hpp"
#include "actors/protocols.hpp"
#include "store/state_store.hpp"
#include "workflow/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace caf {
class actor_system;
}

// What the actors of a node need and how they are started. Those that wait for the disk run detached in a node and
// undetached under the test scheduler.

namespace steadfast::actors {

struct store_actor_deps {
  std::shared_ptr<store::state_store> store;
  node_clock clock;
  std::size_t batch_max = 4096;  ///< writes in one commit
  std::uint64_t backlog_max = 0; ///< writes waiting above which submissions are pushed back; 0: no limit
  /// The store must not be used any more: log it and end the process. Called at most once.
  std::function<void(const std::string& why)> on_fatal;
};
store_actor spawn_store_actor(caf::actor_system& sys, store_actor_deps deps, bool detached = true);

struct reader_deps {
  std::shared_ptr<store::state_store> store;
  store_actor writer; ///< told of damaged records
  node_clock clock;
};
reader_actor spawn_reader(caf::actor_system& sys, reader_deps deps, bool detached = true);

struct scheduler_deps {
  store_actor store;
  reader_actor reader;
  std::map<std::string, agent_actor> agents;
  node_clock clock;
  scheduler_options options;
  /// One line of the log per event worth it; may be empty.
  std::function<void(const std::string& event, const workflow::task&, const std::string& detail)> log;
};
scheduler_actor spawn_scheduler(caf::actor_system& sys, scheduler_deps deps);

struct supervisor_deps {
  store_actor store;
  reader_actor reader;
  node_clock clock;
  supervisor_options options;
  std::function<void(const std::string& event, const workflow::task&, const std::string& detail)> log;
};
supervisor_actor spawn_supervisor(caf::actor_system& sys, supervisor_deps deps);

struct lease_deps {
  store_actor store;
  guarded_actor guarded;
  node_clock clock;
  lease_options options;
};
lease_actor spawn_lease_actor(caf::actor_system& sys, lease_deps deps);

struct notifier_deps {
  store_actor store;
  reader_actor reader;
  std::uint32_t window = 256; ///< told and not yet acknowledged, per observer
  workflow::span reader_limit{5000};
};
notifier_actor spawn_notifier(caf::actor_system& sys, notifier_deps deps);

struct gateway_deps {
  store_actor store;
  reader_actor reader;
  notifier_actor notifier;
  node_clock clock;
  workflow::span reader_limit{5000};
};
gateway_actor spawn_gateway(caf::actor_system& sys, gateway_deps deps);

} // namespace steadfast::actors
