#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::actors {

/// Connects to the first of several addresses that answers. Each gets a short time before the next is tried as well: an
/// address that does not answer takes no time away from the others (RFC 8305).
class dialling : public std::enable_shared_from_this<dialling> {
public:
  /// Null: `fault` says why there is no socket.
  using taker = std::function<void(boost::asio::ip::tcp::socket* made, const std::string& fault)>;

  dialling(boost::asio::io_context& io, std::vector<boost::asio::ip::address> addresses, std::uint16_t port,
           taker take);

  void begin() { try_next(); }
  /// Nothing more is reported, and all that is under way ends.
  void cancel();

private:
  using socket = boost::asio::ip::tcp::socket;

  void try_next();
  void on_end(const std::shared_ptr<socket>& s, const boost::system::error_code& e);

  boost::asio::io_context& io_;
  const std::vector<boost::asio::ip::address> addresses_;
  const std::uint16_t port_;
  taker take_;
  boost::asio::steady_timer next_one_;
  std::vector<std::shared_ptr<socket>> tried_;
  std::size_t failed_ = 0;
};

} // namespace steadfast::actors
