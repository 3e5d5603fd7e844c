#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::runtime {

/// Where a node is reached: "10.0.0.1:7801", "store.example:7801", "[::1]:7801".
struct address {
  std::string host; ///< without brackets
  std::uint16_t port = 0;

  friend auto operator<=>(const address&, const address&) = default;
};

/// Nothing if the text is not host:port with a port of 1 to 65535.
std::optional<address> parse_address(std::string_view text);

/// Whether only processes of this host reach it. A name other than localhost is not looked up and counts as reachable
/// by others.
bool is_loopback(const address& a);

/// What counts as one in limits for an address, of an address in numbers: of IPv6 its first 64 bits, since whoever has
/// one address has all that begin so ("2001:db8:0:7::/64"); any other text as it is. IPv4 within IPv6 is IPv4.
std::string network_of(std::string_view host);

/// Ports of 127.0.0.1 on which nobody listens at this moment, and that the kernel gives to nobody who connects.
std::vector<std::uint16_t> free_ports(std::size_t count);

} // namespace steadfast::runtime
