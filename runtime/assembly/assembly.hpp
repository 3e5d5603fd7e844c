#pragma once

#include "actors/common/partition_clocks.hpp"
#include "actors/gateway/client_gateway.hpp"
#include "actors/protocol/protocols.hpp"
#include "actors/supervising/singleton.hpp"
#include "runtime/assembly/http_figures.hpp"
#include "runtime/assembly/journal_figures.hpp"
#include "runtime/assembly/trace_figures.hpp"
#include "runtime/configuration/node_options.hpp"
#include "store/contract/local_store.hpp"

#include <caf/actor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast {

/// An actor of a node, for code that deals with all of them.
struct node_part {
  std::string kind; ///< as people see it: "scheduler"
  std::string name; ///< likewise; empty: the node has one of the kind
  caf::actor actor;
  actors::inspectable_actor shown; ///< none: people do not see it
  bool hears_all = false;          ///< it ends after all messages sent to it, and not at once
  /// Of an actor with a thread of its own: once it has ended, and all who watch it were told. Not valid: of others.
  std::shared_future<void> ended{};
};

/// What a node has for each partition of the store, by itself. The roles of the node may leave some of it out.
struct partition_parts {
  actors::scheduler_actor scheduler;
  actors::supervisor_actor supervisor;
  actors::lease_actor supervisor_lease;
  actors::lease_actor node_lease;
};

/// What a node has of a store, and what comes with it.
struct store_parts {
  struct of_partition {
    std::shared_ptr<store::state_store> store; ///< null: another node has it
    std::shared_ptr<store::store_files> files; ///< of that store, if it has some on this machine
    actors::own_store_actor store_actor;
    actors::reader_actor reader;
    actors::bulk_runner_actor bulk_runner;
    std::map<std::string, actors::webhook_actor> webhooks{}; ///< by name
    std::vector<node_part> all{};                            ///< these and all others that were started for it
  };
  std::shared_ptr<store::state_store> store; ///< the whole; null: another node has it, or some of its partitions
  std::shared_ptr<store::store_files> files; ///< likewise
  /// Of the whole, or where its writes take turns: with the first partition.
  actors::own_store_actor store_actor;
  actors::reader_actor reader;
  std::vector<of_partition> partitions{};         ///< all of the store, in order; at least one
  std::vector<node_part> joining{};               ///< the two above, if they join several partitions
  std::shared_ptr<const journal_figures> journal; ///< null: nobody measures it
  std::shared_ptr<const trace_figures> traced{};  ///< null: tasks are not traced

  /// By name; where several partitions have one of a name, that of any of them.
  std::map<std::string, actors::webhook_actor> webhooks() const {
    std::map<std::string, actors::webhook_actor> all;
    for (const auto& p : partitions)
      all.insert(p.webhooks.begin(), p.webhooks.end());
    return all;
  }
  /// Of how many partitions the node has the store.
  std::size_t count() const {
    return static_cast<std::size_t>(
      std::count_if(partitions.begin(), partitions.end(), [](const auto& p) { return p.store != nullptr; }));
  }
};
std::vector<node_part> all_of(const store_parts& p);

/// Those of a node, which may get them while it runs. For any thread.
class own_store {
public:
  store_parts get() const {
    const std::lock_guard lock{mutex_};
    return parts_;
  }
  void set(store_parts parts) {
    const std::lock_guard lock{mutex_};
    parts_ = std::move(parts);
  }

private:
  mutable std::mutex mutex_;
  store_parts parts_;
};

/// The actors of a running node and what else its control channel needs. Handles that its roles leave out are empty. An
/// actor that nobody else asks for is in `lasting` only.
struct node_parts {
  std::string name;
  std::shared_ptr<own_store> own = std::make_shared<own_store>();
  actors::node_clock clock; ///< of the store, or of its first partition
  actors::partition_clocks clocks;
  std::vector<std::shared_ptr<actors::shared_lead>> leads; ///< of each of these clocks, if they may follow others
  actors::store_link_actor link;                           ///< stands for a store that another node has, or may have
  std::vector<actors::store_link_actor> partition_links;   ///< likewise, for each of its partitions, if it has several
  actors::store_actor store_actor; ///< the link, what stands for all partition links, or that of the own store
  actors::reader_actor reader;     ///< likewise
  actors::notifier_actor notifier;
  actors::gateway_actor gateway;
  std::vector<partition_parts> partitions; ///< of the store; at least one
  actors::membership_actor membership;
  actors::whole_front front;
  actors::client_gateway clients; ///< where there are certificates
  actors::dialer_actor dialer;
  std::vector<std::pair<std::string, actors::lease_actor>> singleton_leases; ///< by name
  std::map<std::string, actors::agent_actor> agents;
  std::vector<node_part> lasting;                       ///< all but the agents and what belongs to the own store
  std::function<workflow::instant()> certificate_until; ///< when the node's certificate ends; empty: it has none
  std::shared_ptr<const http_figures> http;             ///< null: it has no HTTP port
  bool traces = false;                                  ///< it takes `traceparent` in
};

/// Each of them once, in the order in which people are shown them.
std::vector<node_part> all_of(const node_parts& parts);

/// What a node is put together from besides its options: everything in which a simulated node differs from that of a
/// process.
struct node_surroundings {
  caf::actor_system& system;
  std::shared_ptr<store::state_store> store{};                   ///< null: another node has it, or some partitions
  std::shared_ptr<store::store_files> files{};                   ///< of that store, if it has some on this machine
  std::vector<std::shared_ptr<store::local_store>> partitions{}; ///< all; null: another node has it. None: it is whole
  std::uint32_t partition_count = 1;                             ///< of the store, also where another node has it
  std::shared_ptr<const journal_figures> journal{};              ///< of all of them
  std::shared_ptr<const trace_figures> traced{};                 ///< null: tasks are not traced
  actors::node_clock clock{};                                    ///< of this node alone
  bool detached = true; ///< those that wait for the disk get a thread of their own
  /// Makes the agents of the node, by name; empty: none.
  std::function<void(const actors::partition_clocks& clocks, std::map<std::string, actors::agent_actor>& made)>
    make_agents{};
  /// Makes those of a node that has the store, for one partition, by name; empty: there are none.
  std::function<std::map<std::string, actors::webhook_actor>(
    const actors::store_actor& to, const actors::reader_actor& reader, const actors::node_clock& clock)>
    make_webhooks{};
  actors::dialer_actor dialer{};                          ///< none: it is in no cluster
  std::function<workflow::instant()> certificate_until{}; ///< when this node's certificate ends; empty: it has none
  bool is_client = false;                                 ///< by its certificate: it takes no lease
  std::uint32_t review_max = 1000;                        ///< tasks that a supervisor looks at, or frees, at a time
  /// Of the leases that end with the process.
  std::string holder{};
  std::vector<std::pair<std::string, actors::make_singleton>> singletons{};
  std::function<void(std::uint64_t number)> on_end{};     ///< of a task, committed; must not block
  std::function<void(const std::string& why)> on_fatal{}; ///< the store must not be used any more
  std::function<void(const std::string& event, const workflow::task&, const std::string& detail)> log_task{};
  std::function<void(const std::string& line)> log{};
  std::function<void(const std::string& line)> warn{}; ///< of mistakes in what users gave
  bool store_may_move = false;                         ///< from this node to another while it runs, and to it
  std::function<void()> on_drained{};                  ///< a person wants the node drained; from any thread
  std::function<void()> on_parting{};                  ///< another node has let the store go; likewise
};

/// Starts the actors of the node's roles; the front is the last of them and knows all others. Nothing is published. A
/// store that is opened read-only is only shown: such a node takes no lease. What `make_agents` throws is passed on;
/// the parts made before are in `parts` by then.
void assemble(const node_options& options, node_surroundings with, node_parts& parts);

/// Gives a node a partition that it was assembled without, or has let go: `with.store`, the only one of a whole store.
/// From any thread, one at a time, as the next two.
void take_partition(const node_options& options, node_surroundings with, node_parts& parts, std::uint32_t partition);

/// The other way round, in two halves: all that was sent to the partition is answered, then `then` is called, by an
/// actor, and what is sent to it later is passed on to whoever has it next. Then it can be let go, and closed. What
/// else was started for it is returned, to be ended after that. REQUIRES: it may move.
std::vector<node_part> empty_partition(caf::actor_system& system, node_parts& parts, std::uint32_t partition,
                                       std::function<void()> then);
void close_partition(node_parts& parts, std::uint32_t partition, const std::vector<node_part>& others);

} // namespace steadfast
