#include "runtime/text/address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <charconv>

namespace steadfast::runtime {

std::optional<address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  auto host = text.substr(0, colon);
  const auto port = text.substr(colon + 1);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed)
    host = host.substr(1, host.size() - 2);
  address a{std::string{host}, 0};
  const auto* const end = port.data() + port.size();
  const auto parsed = std::from_chars(port.data(), end, a.port);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == end && a.port != 0;
  const bool is_host = !host.empty() && (bracketed || host.find(':') == std::string_view::npos)
                       && host.find_first_of(" /,") == std::string_view::npos;
  if (!is_number || !is_host)
    return std::nullopt;
  return a;
}

bool is_loopback(const address& a) {
  if (a.host == "localhost")
    return true;
  boost::system::error_code wrong;
  const auto number = boost::asio::ip::make_address(a.host, wrong);
  return !wrong && number.is_loopback();
}

std::vector<std::uint16_t> free_ports(std::size_t count) {
  boost::asio::io_context io;
  std::vector<boost::asio::ip::tcp::acceptor> held; // together, so that none comes twice
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < count; ++i) {
    held.emplace_back(io, boost::asio::ip::tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0});
    ports.push_back(held.back().local_endpoint().port());
  }
  return ports;
}

} // namespace steadfast::runtime
