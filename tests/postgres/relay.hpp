#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace steadfast::tests {

/// A way to a server on 127.0.0.1 that can be cut: what is said on it arrives only while it is open.
class relay {
public:
  explicit relay(std::uint16_t to);
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  std::uint16_t port() const { return port_; }

  /// As a network that loses all packets: nobody is told, the ends wait.
  void freeze() { is_frozen_ = true; }
  void thaw() { is_frozen_ = false; }

private:
  struct pair {
    int client;
    int server;
  };
  void run();
  void take_client();
  /// False: one of the ends has hung up.
  static bool pass(int from, int to);

  std::uint16_t to_;
  std::uint16_t port_ = 0;
  int listener_;
  std::vector<pair> pairs_;
  std::atomic<bool> is_frozen_{false};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace steadfast::tests
