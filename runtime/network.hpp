#pragma once

#include "actors/protocols.hpp"
#include "runtime/address.hpp"
#include "runtime/cluster_options.hpp"

#include <memory>
#include <string>

namespace caf {
class actor_system;
class actor_system_config;
} // namespace caf

// The only place that knows CAF's network: heartbeats, TLS, who speaks which protocol.

namespace steadfast::runtime {

/// Prepares a system's configuration for connections to other nodes. Call it before the system is made.
void load_network(caf::actor_system_config& config, const cluster_options& o);

/// Lets others reach the front at that address. Throws node_error.
void publish(caf::actor_system& sys, const actors::node_front& front, const address& at, bool with_tls);

class connections;

/// A dialer over CAF's network, which tells `all` where it went. It has a thread of its own, for a host that does not answer
/// would block it.
actors::dialer_actor spawn_dialer(caf::actor_system& sys, bool with_tls, std::shared_ptr<connections> all);

} // namespace steadfast::runtime
