#pragma once

#include "runtime/address.hpp"

#include <cstdint>
#include <mutex>
#include <set>

namespace steadfast::runtime {

/// Connections between this node and others, told from other sockets of the process by where they lead. Threads may share it.
class connections {
public:
  /// Others come in at that port; 0: nobody does.
  explicit connections(std::uint16_t port) : port_{port} {}

  /// There may be one to there from now on. The host is a number.
  void dialed(const address& to);

  /// Shuts down those that are open: what is on its way is lost, and whoever waits for them goes on.
  void break_off() const;

private:
  bool leads_to_a_node(int socket) const;

  std::uint16_t port_;
  mutable std::mutex mutex_;
  std::set<address> dialed_;
};

} // namespace steadfast::runtime
