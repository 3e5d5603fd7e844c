#pragma once

#include "examples/demo/load/client_log.hpp"
#include "examples/demo/load/work.hpp"
#include "steadfast/client.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace demo {

struct load_options {
  std::vector<std::string> sockets; ///< of the nodes' control channels; a client that gets no answer tries the next
  std::uint32_t clients = 8;        ///< connections at a time
  std::uint32_t rate = 120;         ///< submissions begun per second
  /// After each submission, clients also ask about ids that others submit at that time: whether the task is there, and,
  /// less often, for it once more, with the same body or another one. Now and then they look who supervises.
  bool with_others = false;
};

/// Clients that submit a list, each over a connection of its own. A submission that got no answer is sent again, with
/// the same id, until it gets one.
class load {
public:
  load(std::vector<submission> work, client_log& log, load_options options);
  ~load(); ///< stops

  void stop(); ///< gives up what was not yet acknowledged

  std::size_t size() const { return work_.size(); }
  std::size_t acknowledged() const { return acknowledged_; }
  std::size_t repeated() const { return repeated_; } ///< submissions sent again because there was no answer
  std::size_t refused() const { return refused_; }
  bool is_done() const { return acknowledged_ + refused_ == work_.size(); }

private:
  enum class reply { acknowledged, refused, none };

  /// A client's connection, and to which node.
  struct connection {
    std::size_t node = 0;
    std::optional<steadfast::client> client;
  };

  void run_client(std::size_t number);
  void submit(const submission& s, connection& to);
  reply submit_once(const submission& s, connection& to);
  void ask_about_others(std::size_t i, connection& to);
  void look(const submission& s, connection& to);
  void look_at_supervisor(connection& to);
  steadfast::client& client_of(connection& to) const;
  static void leave(connection& to); ///< for the next node
  void wait_for_turn(std::size_t i) const;

  const std::vector<submission> work_;
  client_log& log_;
  const load_options options_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> acknowledged_ = 0;
  std::atomic<std::size_t> repeated_ = 0;
  std::atomic<std::size_t> refused_ = 0;
  std::atomic<bool> stopped_ = false;
  std::vector<std::thread> clients_;
};

} // namespace demo
