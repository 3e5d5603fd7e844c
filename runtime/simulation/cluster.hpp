#pragma once

#include "runtime/assembly.hpp"
#include "runtime/simulation/disk.hpp"
#include "runtime/simulation/services.hpp"
#include "runtime/simulation/world.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace steadfast::simulation {

/// What a simulated cluster is made of.
struct cluster_shape {
  std::uint32_t nodes = 3; ///< the first has the store
  std::uint32_t in_flight_max = 100;
  workflow::lease_terms lease;
  std::vector<workflow::definition> workflows;
};

/// Nodes put together from the same actors as in production, their services and their clients, in a world of its own. The
/// files of the store are in `folder`; a file system in memory is quick.
class cluster {
public:
  cluster(world& w, services& remote, cluster_shape shape, const std::filesystem::path& folder);
  ~cluster();
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  const std::string& store_node() const { return names_.front(); }

  // ---- life and death ----

  void start(const std::string& node);
  void kill(const std::string& node, bool is_noticed_at_once);
  bool is_up(const std::string& node) { return world_.find(node) != nullptr; }
  /// Of the commits from here on.
  void set_disk_faults(const disk_faults& faults);
  /// Of clocks, for processes that start from here on.
  void set_clock_errors(workflow::span wall_max, std::int64_t drift_permille_max);
  /// From here on every process starts with the same right clock, the one with the store now. That is the clock that is furthest
  /// ahead of those which have judged tasks: behind it they would wait for hours, as they may.
  void set_clocks_right();
  /// Every commit takes so long from now until then.
  void slow_store(workflow::span time);

  // ---- clients ----

  /// A client that submits until a node has acknowledged it.
  void submit(const std::string& id, const workflow::definition& d);
  /// A person does something to a task, at any node; what comes of it is not looked at.
  void act(const std::string& id, actors::task_act what);
  const std::set<std::string>& acknowledged() const { return acknowledged_; }
  const std::set<std::string>& submitted() const { return submitted_; }

  /// What is stored. REQUIRES: the node with the store is up.
  store::state_store& store() { return *disk_; }

private:
  node_options options_of(const std::string& node) const;
  clock_error draw_clock_error(const std::string& node);
  /// Half of the processes with the store that end do not take the machine with them.
  clock_error draw_store_clock(clock_error anew);
  std::shared_ptr<disk> open_disk();
  actors::dialer_actor spawn_dialer(process& p);
  void make_agents(process& p, const actors::node_clock& clock, std::map<std::string, actors::agent_actor>& made);
  /// A node that is up, by its parts; null: this one is down.
  const node_parts* some_node();
  void ask_to_submit(const workflow::submission& s);

  world& world_;
  services& services_;
  cluster_shape shape_;
  std::filesystem::path folder_;
  std::vector<std::string> names_;
  std::map<std::string, node_parts> parts_; ///< of the nodes that are up
  std::shared_ptr<disk> disk_;
  disk_faults disk_faults_;
  workflow::span wall_error_max_{0};
  workflow::span wall_error_least_{0};
  workflow::span furthest_ahead_{0}; ///< of the clocks of the node with the store
  std::int64_t drift_permille_max_ = 0;
  std::optional<clock_error> store_clock_; ///< of the last life of the node with the store
  std::set<std::string> submitted_;
  std::set<std::string> acknowledged_;
};

} // namespace steadfast::simulation
