#include "runtime/text/address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

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

std::string network_of(std::string_view host) {
  namespace ip = boost::asio::ip;
  boost::system::error_code wrong;
  const auto number = ip::make_address_v6(std::string{host}, wrong);
  if (wrong)
    return std::string{host};
  if (number.is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, number).to_string();
  if (number.is_loopback())
    return number.to_string();
  auto bytes = number.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), std::uint8_t{0});
  return ip::address_v6{bytes}.to_string() + "/64";
}

std::vector<std::uint16_t> free_ports(std::size_t count) {
  constexpr std::uint16_t first = 20'000;
  constexpr std::uint16_t last = 32'000; // the kernel gives higher ones to whoever connects, at any time
  std::random_device random;
  std::uniform_int_distribution<std::uint16_t> draw{first, last};
  boost::asio::io_context io;
  std::vector<boost::asio::ip::tcp::acceptor> held; // together, so that none comes twice
  std::vector<std::uint16_t> ports;
  while (ports.size() < count) {
    const auto port = draw(random);
    boost::asio::ip::tcp::acceptor a{io, boost::asio::ip::tcp::v4()};
    a.set_option(boost::asio::socket_base::reuse_address{true});
    boost::system::error_code taken;
    a.bind({boost::asio::ip::address_v4::loopback(), port}, taken);
    if (!taken)
      a.listen(1, taken);
    if (taken)
      continue;
    held.push_back(std::move(a));
    ports.push_back(port);
  }
  return ports;
}

} // namespace steadfast::runtime
