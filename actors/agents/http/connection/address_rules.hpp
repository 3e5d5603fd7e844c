#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <vector>

namespace steadfast::actors {

/// Where clouds answer with a machine's credentials, in each form in which the address can be written.
bool is_metadata(const boost::asio::ip::address& ip);

/// The order in which addresses of a name are tried: as they came, but those of the two families in turns, so that a
/// family that does not get through holds nobody up for long (RFC 8305). At most `addresses_max` of them.
std::vector<boost::asio::ip::address> in_turns(const std::vector<boost::asio::ip::address>& all);

constexpr std::size_t addresses_max = 16; ///< of a name that are tried

} // namespace steadfast::actors
