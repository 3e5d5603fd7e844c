#pragma once

#include "actors/common/clock.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/protocols.hpp"
#include "store/local_store.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/time/clock_offset.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace caf {
class actor_system;
}

// What the actors of a node need and how they are started. Those that wait for the disk run detached in a node and
// undetached under the test scheduler.

namespace steadfast::actors {

struct store_actor_deps {
  std::shared_ptr<store::state_store> store;
  std::shared_ptr<store::store_files> files; ///< null: it has none on this machine
  node_clock clock;
  std::size_t batch_max = 4096;  ///< writes in one commit
  std::uint64_t backlog_max = 0; ///< writes waiting above which submissions are pushed back; 0: no limit
  /// The store must not be used any more: log it and end the process. Called at most once.
  std::function<void(const std::string& why)> on_fatal;
  workflow::span save_after{200}; ///< for so long commits may share what the engine does once for several
};
store_actor spawn_store_actor(caf::actor_system& sys, store_actor_deps deps, bool detached = true);

struct reader_deps {
  std::shared_ptr<store::state_store> store;
  std::shared_ptr<store::store_files> files; ///< null: it has none on this machine
  store_actor writer;                        ///< told of damaged records
  node_clock clock;
};
reader_actor spawn_reader(caf::actor_system& sys, reader_deps deps, bool detached = true);

struct scheduler_deps {
  store_actor store;
  reader_actor reader;
  std::vector<agent_offer> agents; ///< until it is told of others
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
  std::function<void(const std::string& line)> warn{}; ///< of what is wrong with the whole; may be empty
};
supervisor_actor spawn_supervisor(caf::actor_system& sys, supervisor_deps deps);

struct janitor_deps {
  store_actor store;
  reader_actor reader;
  node_clock clock;
  janitor_options options;
};
janitor_actor spawn_janitor(caf::actor_system& sys, janitor_deps deps);

struct bulk_runner_deps {
  store_actor store;
  reader_actor reader;
  gateway_actor gateway; ///< of the node with the store
  node_clock clock;
  bulk_options options;
};
bulk_runner_actor spawn_bulk_runner(caf::actor_system& sys, bulk_runner_deps deps);

struct lease_deps {
  store_actor store;
  guarded_actor guarded;
  node_clock clock;
  lease_options options;
  std::function<std::string()>
    note_now{}; ///< in place of the note of the options, whenever it is asked for; empty: it stays
};
lease_actor spawn_lease_actor(caf::actor_system& sys, lease_deps deps);

/// Makes an instance; called on the node that won the lease. The instance is told of its epoch by lease_changed, now
/// and at each renewal, and should put the epoch into whatever it writes elsewhere: only that keeps out a former holder
/// that does not know yet that it is one.
using make_singleton = std::function<guarded_actor(caf::actor_system&)>;

struct singleton_deps {
  make_singleton make;                                ///< when it throws or makes none, the lease lapses
  workflow::span answer_limit{2000};                  ///< for the instance to handle lease_changed
  std::function<void(const std::string& line)> log{}; ///< hears why none was made
};
guarded_actor spawn_singleton_guard(caf::actor_system& sys, singleton_deps deps, bool detached = false);

struct notifier_deps {
  store_actor store;
  reader_actor reader;
  node_clock clock;
  std::uint32_t window = 256; ///< told and not yet acknowledged, per observer
  workflow::span reader_limit{5000};
  workflow::span retry_read{1000}; ///< wait after a read that failed
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

// ---- between nodes ----

struct store_link_deps {
  std::string scheduler; ///< of this node: told which of its tasks others changed
};
store_link_actor spawn_store_link(caf::actor_system& sys, store_link_deps deps);

using peer_owner = caf::typed_actor<takes<void(peer_changed)>>;

struct peer_deps {
  dialer_actor dialer;
  peer_owner owner;
  node_clock clock;
  std::string address;
  workflow::span period{2000}; ///< between questions for the time
  workflow::retry_policy redial{1, workflow::span{200}, 200, workflow::span{5000}, 50};
  std::uint64_t chance = 0;                                   ///< what the jitter of redialling is drawn from
  std::function<void(const workflow::clock_sample&)> on_time; ///< may be empty
};
peer_actor spawn_peer(caf::actor_system& sys, peer_deps deps);

struct membership_deps {
  std::string own_name;
  std::string join; ///< address of the node with the store; empty: it is this one
  dialer_actor dialer;
  reader_actor reader;
  peer_owner link;           ///< stands for the store; none: the store is here
  scheduler_actor scheduler; ///< none: this node has not the role
  std::vector<agent_offer> own_agents;
  node_clock clock;
  workflow::span period{2000};                                ///< between looks at the leases
  std::function<void(const workflow::clock_sample&)> on_time; ///< of the node with the store
  std::function<void(const std::string& line)> log;
};
membership_actor spawn_membership(caf::actor_system& sys, membership_deps deps);

/// An actor of a node that people may look at.
struct named_actor {
  std::string kind;
  std::string name; ///< empty: the node has one of the kind
  inspectable_actor actor;
};

struct front_deps {
  node_offer offer;
  node_clock clock;
  std::vector<named_actor> actors{};
  scheduler_actor scheduler{};                            ///< none: the node has not the role
  std::vector<lease_actor> leases{};                      ///< given up when the node is drained
  workflow::span inspection_limit{1000};                  ///< for an actor to say what it works with
  std::function<workflow::instant()> certificate_until{}; ///< when the node's certificate ends; empty: it has none
  std::function<void()> on_drained{};                     ///< a person wants the node drained; may be empty
};
node_front spawn_front(caf::actor_system& sys, front_deps deps);

struct client_gateway_deps {
  std::string node;
  bool has_store = true; ///< else clients learn that they have joined the wrong node
  store_actor writer;
  reader_actor reader;
  node_clock clock;
};

/// What a node shows to clients that are not nodes.
struct client_gateway {
  node_front front;
  client_store_actor store;
};
client_gateway spawn_client_gateway(caf::actor_system& sys, client_gateway_deps deps);

} // namespace steadfast::actors
