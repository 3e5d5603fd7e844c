#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <vector>

namespace steadfast::actors {

/// Addresses at which clouds hand out a machine's credentials, in each form in which they can be written.
bool is_metadata(const boost::asio::ip::address& ip);

/// The order in which the addresses of a name are tried: as they came, but alternating between the two families, so
/// that a family that does not get through delays nobody for long (RFC 8305). At most `addresses_max` of them.
std::vector<boost::asio::ip::address> in_turns(const std::vector<boost::asio::ip::address>& all);

constexpr std::size_t addresses_max = 16; ///< how many addresses of a name are tried

} // namespace steadfast::actors
