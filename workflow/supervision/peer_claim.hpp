#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// What a process is in its cluster, and what its certificate allows. Each kind may do what the kinds before it may.
enum class peer_kind : std::uint8_t {
  client, ///< submits tasks and looks at them; is not a node
  node,   ///< runs tasks, supervises, offers agents
  store,  ///< has the store
};

std::string_view to_string(peer_kind k);
std::optional<peer_kind> parse_peer_kind(std::string_view text);

/// What an authority certifies.
struct vouched_peer {
  std::string name;                 ///< of the node or client; empty: the certificate names nobody
  std::optional<peer_kind> highest; ///< none: the certificate allows no kind

  friend bool operator==(const vouched_peer&, const vouched_peer&) = default;
};

/// What a process says about itself to the one it connects to, and what that one answers.
struct peer_claim {
  std::string protocol; ///< of the messages that it can read
  peer_kind kind = peer_kind::node;
  std::string name;

  friend bool operator==(const peer_claim&, const peer_claim&) = default;
};

/// Why the holder of that certificate is not what it claims to be; empty: it is.
std::string why_not_vouched(const vouched_peer& by, const peer_claim& claim);

/// Why a process with one protocol cannot talk to a process with the other; empty: it can.
std::string why_not_understood(const peer_claim& own, const peer_claim& other);

} // namespace steadfast::workflow
