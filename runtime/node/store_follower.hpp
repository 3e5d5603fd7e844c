#pragma once

#include "runtime/node/store_holder.hpp"
#include "runtime/node/store_turns.hpp"
#include "store/contract/local_store.hpp"
#include "store/partitions/postgres_engine.hpp"
#include "store/partitions/postgres_store.hpp"
#include "workflow/task/partition.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace steadfast {

/// Those of a store whose partitions move from node to node, while this node has them; null: it has not.
using store_partitions = std::vector<std::shared_ptr<store::local_store>>;

/// What a node does when it gets partitions, and lets them go. Called by one thread at a time.
struct partition_host {
  /// Makes a store of one, to watch it; what it makes is counted as open until it is gone.
  std::function<std::shared_ptr<store::local_store>(std::shared_ptr<store::local_store>)> wrap;
  /// Brings it up to date with what the node has. Why it cannot be used yet; empty: it can. Throws node_error.
  std::function<std::string(const workflow::partition& which, store::local_store& s)> prepare;
  std::function<void(std::uint32_t partition, std::shared_ptr<store::local_store> s)> take;
  /// All that was sent there is answered, and `let_go` is called; nothing of the node uses it when this returns.
  std::function<void(std::uint32_t partition, const std::function<void()>& let_go)> leave;
  std::function<void(std::uint32_t partition, const store_holder& who)> is_elsewhere;
  std::function<void(const std::string& level, const std::string& line)> log;
};

/// Takes partitions of a store on a server when nobody else has them, and lets them go to those who have fewer, or to
/// anybody when the node leaves (workflow/supervision/shares.hpp).
class store_follower {
public:
  /// Throws store_error, or node_error.
  store_follower(store::postgres_store_options o, std::string node, store_turns& turns, partition_host host);
  ~store_follower() { stop(); }
  store_follower(const store_follower&) = delete;
  store_follower& operator=(const store_follower&) = delete;

  /// Until each partition is either here, and is returned, or at another node. Empty: it was given up. `wait` is asked
  /// between two looks. Throws node_error, and store_error: at once if the server cannot be reached at first.
  store_partitions take_at_start(const store::wait_for_turn& wait);
  /// Of the last that was seen to be another node's; empty: none was. REQUIRES: take_at_start() has returned.
  const std::string& holder() const { return holder_; }

  /// From now on on a thread of its own. `on_fatal`: the store must not be used any more.
  void start(std::function<void(const std::string& why)> on_fatal);
  void stop() { thread_ = {}; }
  /// From now on what another node has is not taken from it.
  void take_no_more() { takes_no_more_ = true; }

private:
  using clock = std::chrono::steady_clock;

  /// A partition, as this node sees it.
  struct seat {
    std::unique_ptr<store::partition_turn> turn; ///< while it waits
    std::shared_ptr<store::local_store> taken;   ///< and not yet prepared
    std::shared_ptr<store::local_store> store;   ///< that the node has
    std::shared_ptr<std::atomic<bool>> is_open;  ///< of the last that it had
    std::string holder;                          ///< as was seen last
    std::string trouble;                         ///< why the last look told nothing
  };

  std::uint32_t count() const;
  std::string name_of(std::uint32_t partition) const;
  void look_at_all();
  void look_at(std::uint32_t partition);
  void note_trouble(const std::string& why);
  std::shared_ptr<store::local_store> opened(seat& s, std::unique_ptr<store::postgres_engine> engine) const;

  void follow(const std::stop_token& end);
  void let_go_some(const std::stop_token& end);
  void let_go(std::uint32_t partition, const std::stop_token& end);
  std::chrono::milliseconds until_next_look() const;

  const std::chrono::milliseconds between_looks_;
  const std::string node_;
  store_turns& turns_;
  const partition_host host_;
  store::partition_turns waiting_;
  std::vector<seat> seats_; ///< by partition
  std::string holder_;
  std::string trouble_; ///< why no look is possible, as was told last
  clock::time_point ask_again_;
  bool is_running_ = false; ///< the node has been told what was taken at its start
  std::atomic<bool> takes_no_more_ = false;
  std::jthread thread_; ///< last: it uses the rest
};

} // namespace steadfast
