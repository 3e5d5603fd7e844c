#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// What a process is in its cluster, and what a certificate lets it be. Each may do what those before it may.
enum class peer_kind : std::uint8_t {
  client, ///< submits and looks; is no node
  node,   ///< runs tasks, supervises, offers agents
  store,  ///< has the store
};

std::string_view to_string(peer_kind k);
std::optional<peer_kind> parse_peer_kind(std::string_view text);

/// What an authority vouches for by a certificate.
struct vouched_peer {
  std::string name;                 ///< of the node or client; empty: the certificate names nobody
  std::optional<peer_kind> highest; ///< none: the certificate says of no kind that its holder is one

  friend bool operator==(const vouched_peer&, const vouched_peer&) = default;
};

/// What a process says of itself to the one that it connects to, and that one answers.
struct peer_claim {
  std::string protocol; ///< of the messages that it understands
  peer_kind kind = peer_kind::node;
  std::string name;

  friend bool operator==(const peer_claim&, const peer_claim&) = default;
};

/// Why who has that certificate is not what it claims; empty: it is.
std::string why_not_vouched(const vouched_peer& by, const peer_claim& claim);

/// Why a process of that protocol can say nothing to one of the other; empty: it can.
std::string why_not_understood(const peer_claim& own, const peer_claim& other);

} // namespace steadfast::workflow
