#pragma once

#include "tests/chaos/wake_log.hpp"
#include "tests/chaos/work.hpp"

#include "steadfast/client.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace chaos {

struct waker_options {
  std::vector<std::string> sockets; ///< of the nodes; one that gives no answer is left for the next
  std::filesystem::path tokens;     ///< where the service writes the tokens of the steps that it has begun
  std::uint64_t seed = 1;
};

/// Whoever the orders wait for: it sends payments, answers questions and ends steps by their tokens, repeating each
/// until it is answered, as a careful user does. Of some it does nothing, and of some too much, which must be refused.
class waker {
public:
  waker(std::vector<payment> payments, wake_log& log, waker_options options);
  ~waker(); ///< stops

  void stop(); ///< gives up what was not yet answered

  std::size_t acknowledged() const { return acknowledged_; }
  std::size_t refused() const { return refused_; }
  std::size_t repeated() const { return repeated_; } ///< tries that got no answer

private:
  using clock = std::chrono::steady_clock;

  /// A call of a method, and what the log says of it.
  struct wake {
    std::chrono::milliseconds after{0}; ///< the one before it was answered
    const char* method = nullptr;
    nlohmann::json params;
    nlohmann::json logged;
  };
  struct job {
    clock::time_point due;
    std::deque<wake> left;
    friend bool operator<(const job& a, const job& b) { return a.due > b.due; } // the earliest is on top
  };
  /// A connection, and to which node.
  struct connection {
    std::size_t node = 0;
    std::optional<steadfast::client> client;
  };

  void add(std::deque<wake> wakes, std::chrono::milliseconds after);
  void add_payment(const payment& p);
  void add_token(const nlohmann::json& line);
  void add_answer(const nlohmann::json& question);
  static wake by_token(const nlohmann::json& line, const char* what, int after_ms);

  void send_due(std::size_t number);
  std::optional<job> take_due();
  bool is_answered(const wake& w, connection& to);
  void read_tokens();
  void look_for_questions(connection& to);
  void watch();

  steadfast::client& client_of(connection& to) const;
  static void leave(connection& to); ///< for the next node
  std::uint64_t drawn(const std::string& about, std::uint64_t bound) const;

  wake_log& log_;
  const waker_options options_;
  const clock::time_point began_ = clock::now();
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> acknowledged_ = 0;
  std::atomic<std::size_t> refused_ = 0;
  std::atomic<std::size_t> repeated_ = 0;

  std::mutex mutex_; ///< guards the next two, and that they wait for stopped_
  std::condition_variable arrived_;
  std::priority_queue<job> jobs_;

  std::set<std::string> seen_; ///< tokens and questions, of the thread that looks for them
  std::streamoff tokens_read_ = 0;
  std::vector<std::thread> threads_;
};

} // namespace chaos
