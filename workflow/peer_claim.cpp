#include "workflow/peer_claim.hpp"

#include "workflow/name.hpp"

#include <array>

namespace steadfast::workflow {

namespace {

constexpr std::array<std::string_view, 3> kinds{"client", "node", "store"};

} // namespace

std::string_view to_string(peer_kind k) {
  return kinds.at(static_cast<std::size_t>(k));
}

std::optional<peer_kind> parse_peer_kind(std::string_view text) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == text)
      return static_cast<peer_kind>(i);
  return std::nullopt;
}

std::string why_not_vouched(const vouched_peer& by, const peer_claim& claim) {
  if (by.name.empty() || !by.highest)
    return "its certificate does not say who it is: make it by `steadfast cluster certs`";
  if (by.name != claim.name)
    return "it says that it is " + quoted(claim.name) + ", and its certificate is that of " + quoted(by.name);
  if (*by.highest < claim.kind)
    return claim.kind == peer_kind::store ? "it says that it has the store, and its certificate is not for that"
                                          : "it says that it is a node, and its certificate is one of a client";
  return {};
}

std::string why_not_understood(const peer_claim& own, const peer_claim& other) {
  if (own.protocol == other.protocol)
    return {};
  return "it speaks another protocol than " + own.protocol + ": all nodes need the same version of Steadfast";
}

} // namespace steadfast::workflow
