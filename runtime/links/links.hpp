#pragma once

#include "runtime/configuration/cluster_options.hpp"
#include "runtime/links/handshake.hpp"
#include "runtime/links/link_end.hpp"
#include "runtime/text/address.hpp"
#include "runtime/tls/certificate.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

// Connections between nodes are made, checked and kept here, on threads of their own. CAF gets the plain end of each
// (caf_ends) once the other side is known, and has no port of its own.
//
//     listen, dial        links: accepts, dials, reloads certificates, says in the log whom it refused
//     door                how many may be at it, and how often refusals are told
//     handshake           TLS, then the greeting, within 5 s
//     greeting            the first words: which protocol, who, what
//     credentials         the certificate, its key and the authority; certificate: what one says
//     relay               copies between TLS and the end that CAF has; a plain connection is CAF's as it is
//     frame_filter        whom a client may talk to
//     caf_ends            CAF over connections that are handed to it
//
// workflow/peer_claim decides whether a certificate allows what the other side claims to be.

namespace steadfast::runtime {

struct link_options {
  cluster_options cluster;
  std::string name; ///< of this process
  workflow::node_roles roles;
  std::string protocol;
  /// Takes accepted connections. Called on a thread of the links: it must not wait.
  std::function<void(link_end)> on_link;
  std::function<void(const std::string& level, const std::string& text)> log;
};

class links {
public:
  /// Reads the certificates. Throws node_error.
  explicit links(link_options options);
  ~links(); ///< closes what is open
  links(const links&) = delete;
  links& operator=(const links&) = delete;

  /// What clients may send to this process; call it before `listen`. Otherwise they may send nothing.
  void allow_clients(client_rules rules);
  /// Lets others connect. Throws node_error.
  void listen(const address& at);
  /// Makes a connection to one of these places. `then` is called once, within 8 s, on a thread of the links: it must
  /// not wait.
  void dial(const boost::asio::ip::tcp::resolver::results_type& places, handshake_end then);

  /// From now on new connections use the present content of the files. If it cannot be used, nothing changes, and the
  /// log says why.
  void reload();
  /// The content of this process's certificate; nothing without certificates.
  std::optional<certificate_facts> own_certificate() const;

  /// Takes no more connections, and waits until the others have what CAF has sent, but no longer than that.
  void stop(std::chrono::milliseconds limit);

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast::runtime
