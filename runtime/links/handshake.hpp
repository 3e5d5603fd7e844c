#pragma once

#include "runtime/links/link_end.hpp"
#include "runtime/links/relay.hpp"
#include "runtime/tls/credentials.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <string>
#include <variant>

// From a TCP connection to a link_end: TLS, if there are certificates, then the greeting. All of it within a limit, on
// the strand of the socket, and no handshake waits for another.

namespace steadfast::runtime {

/// This process's side of a handshake.
struct handshake_terms {
  workflow::peer_claim own;
  std::shared_ptr<const credentials> shown; ///< none: connections are plain
  relays* tls_links = nullptr;              ///< outlives every handshake
  std::shared_ptr<const client_rules> for_clients{};
  relays::cut_off on_cut_off{}; ///< called for a client that sent something forbidden
};

/// A connection, or why there is none, with the other side as "it".
using handshake_result = std::variant<link_end, std::string>;
using handshake_end = std::function<void(handshake_result)>;

/// With a peer that dialed. `then` is called once, when the socket is out of use or CAF's.
void greet_who_dialed(boost::asio::ip::tcp::socket s, handshake_terms terms, handshake_end then);

/// With a node at one of these places. The socket is not connected yet.
void greet_by_dialing(boost::asio::ip::tcp::socket s, const boost::asio::ip::tcp::resolver::results_type& places,
                      handshake_terms terms, handshake_end then);

} // namespace steadfast::runtime
