#pragma once

#include "runtime/text/address.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <string>

namespace steadfast::runtime {

/// Listens there. Throws boost::system::system_error: the port is taken, or it is no address of this host.
inline void open_port(boost::asio::ip::tcp::acceptor& acceptor, const address& at) {
  using boost::asio::ip::tcp;
  const auto found =
    tcp::resolver{acceptor.get_executor()}.resolve(at.host, std::to_string(at.port), tcp::resolver::passive);
  const auto place = found.begin()->endpoint();
  acceptor.open(place.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address{true});
  acceptor.bind(place);
  acceptor.listen();
}

} // namespace steadfast::runtime
