#pragma once

#include "apps/bench/figures/histogram.hpp"
#include "steadfast/node.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace steadfast::bench {

/// A node whose workflows wait, with agents that do nothing, and those who submit to it: 128 threads in its process.
/// Everything throws failure if it is not done within minutes.
class waiting_load {
public:
  /// With the store in this folder. Throws node_error.
  explicit waiting_load(const std::string& folder);

  /// Submits tasks that wait for an event, one for all or each its own; returns when all wait.
  void submit_waiters(std::uint64_t count, bool each_its_own);
  /// Sends each of them its own: {"sent_per_second", "events_per_second": until the last task has ended}
  nlohmann::json send_events(std::uint64_t count);
  /// Sends the one for all that wait: {"released": tasks, "seconds": until the last has ended}
  nlohmann::json release();
  /// So many tasks a second wake: {"late_ms": from the moment until the agent of the next step is called}
  nlohmann::json sleep(std::uint64_t per_second, std::uint64_t seconds);
  /// So many tasks with so many items each: {"items_per_second"}
  nlohmann::json run_items(std::uint64_t tasks, std::uint64_t items);
  /// So many tasks, each with a task within: {"children_per_second"}
  nlohmann::json run_children(std::uint64_t tasks);
  /// One task after the other of a customer, alone and beside so many of another, of each of whom one is under way at a
  /// time: {"alone_ms", "beside_ms", "times_longer": by the medians, "others_per_second"}
  nlohmann::json run_beside(std::uint64_t tasks);

private:
  void submit(const std::string& workflow, const std::string& id, const nlohmann::json& payload);
  void send_event(const std::string& key);
  nlohmann::json stats();
  std::uint64_t processed(); ///< tasks
  void await_processed(std::uint64_t count);
  void note_lateness(std::int64_t moment); ///< milliseconds since 1970; one that is early is not counted
  histogram run_alone(const std::string& name);

  std::atomic<std::uint64_t> calls_{0}; ///< of the agent that does nothing
  std::mutex late_guard_;
  histogram late_;
  node node_;
};

} // namespace steadfast::bench
