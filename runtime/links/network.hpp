#pragma once

#include "actors/gateway/client_gateway.hpp"
#include "runtime/configuration/node_options.hpp"
#include "runtime/links/caf_ends.hpp"
#include "runtime/links/links.hpp"

#include <chrono>
#include <memory>
#include <optional>

namespace caf {
class actor_system;
class actor_system_config;
} // namespace caf

// The only place that knows CAF's network: heartbeats, who is published where, and how a connection of the links
// becomes a node that actors can talk to.

namespace steadfast::runtime {

/// Prepares a system's configuration for connections to other nodes. Call it before the system is made.
void load_network(caf::actor_system_config& config);

/// A node's connections to others, from its start to its end.
class network {
public:
  /// Reads the certificates. Throws node_error.
  explicit network(const node_options& o);

  /// Call it before anything else: from then on CAF takes its connections from here.
  void attach(caf::actor_system& sys);
  /// Lets others connect: nodes find that front, and, if there are certificates, clients find that gateway. Throws
  /// node_error.
  void publish(const actors::whole_front& front, const actors::client_gateway& clients, const address& at);
  /// Makes connections to other nodes. It has a thread of its own, since resolving a name can block it.
  actors::dialer_actor spawn_dialer();

  /// By its certificate this process is a client, and no node.
  bool is_client() const { return kind_ == workflow::peer_kind::client; }
  void reload_certificates() { links_.reload(); }
  std::optional<certificate_facts> own_certificate() const { return links_.own_certificate(); }

  /// CAF makes no more connections; what it has sent is still delivered. Call it before the system ends.
  void detach();
  /// Messages on their way are lost, and nobody waits for them any longer. From any thread.
  void break_off() { ends_->break_off(); }
  /// After the end of the system: waits until the others have what it has sent, but no longer than that.
  void stop(std::chrono::milliseconds limit) { links_.stop(limit); }

private:
  template <class Front>
  void publish_at(std::uint16_t door, const Front& front);

  std::shared_ptr<caf_ends> ends_;
  links links_;
  workflow::peer_kind kind_;
  caf::actor_system* system_ = nullptr;
  caf::io::middleman_actor connector_;
};

} // namespace steadfast::runtime
