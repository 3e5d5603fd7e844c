#pragma once

#include "runtime/links/link_end.hpp"

#include <caf/io/middleman_actor.hpp>

#include <memory>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::runtime {

/// Where CAF finds the connections that the links have made, from any thread: accepted ones wait until it next looks,
/// dialed ones until it connects to their ticket. CAF neither listens nor dials itself.
class caf_ends {
public:
  caf_ends();
  ~caf_ends();
  caf_ends(const caf_ends&) = delete;
  caf_ends& operator=(const caf_ends&) = delete;

  /// An accepted connection. It is closed if nothing is published for its kind.
  void add(link_end end);
  /// A dialed connection: returns what to give to CAF as the name of a host, with dialed_port.
  std::string add_dialed(link_end end);
  static constexpr std::uint16_t dialed_port = 1;

  /// Shuts down those that CAF has, and each that it gets from now on: messages on their way are lost, and nobody waits
  /// for them any longer.
  void break_off() const;
  /// Shuts down that one, by its ticket, whether CAF has it already or not.
  void break_off(const std::string& ticket) const;

  class state;
  const std::shared_ptr<state>& shared() const { return state_; }

private:
  std::shared_ptr<state> state_;
};

/// The numbers at which actors are published for others: what nodes find, and what clients find.
inline constexpr std::uint16_t door_for_nodes = 1;
inline constexpr std::uint16_t door_for_clients = 2;

/// A middleman actor over those connections, of which it keeps one to each node. It takes the requests of CAF's own;
/// end it before the system, by `kill`.
caf::io::middleman_actor spawn_connector(caf::actor_system& sys, const caf_ends& ends);

} // namespace steadfast::runtime
