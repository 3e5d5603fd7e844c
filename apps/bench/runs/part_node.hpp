#pragma once

#include "apps/bench/load/watched_store.hpp"
#include "apps/bench/runs/part.hpp"
#include "runtime/node/node.hpp"

#include <atomic>
#include <functional>
#include <memory>

namespace steadfast::bench {

/// The node of a part: the users' node, with the workload's agents, and its store watched.
class part_node {
public:
  /// Starts it. Throws node_error.
  explicit part_node(const part_setup& setup);

  nlohmann::json drive(const nlohmann::json& plan, const std::function<bool()>& is_stopped);
  /// Puts tasks into the store that nobody waits for, numbered from 0.
  void fill(std::uint64_t tasks);
  /// The figures of the process and the store.
  nlohmann::json figures() const;

private:
  void add_agents(const part_setup& setup);

  part_setup setup_;
  watched_stores stores_;                                     ///< of its partitions; none without the role
  std::shared_ptr<std::atomic<std::int64_t>> first_dispatch_; ///< by the steady clock, in its ticks; 0: none yet
  assembled_node node_;
};

} // namespace steadfast::bench
