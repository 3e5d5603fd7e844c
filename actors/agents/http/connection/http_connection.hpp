#pragma once

#include "actors/agents/caller.hpp"
#include "actors/agents/http/connection/dialling.hpp"
#include "actors/agents/http/connection/opening.hpp"
#include "actors/agents/http/connection/tls.hpp"
#include "actors/agents/http/messages/answer_reader.hpp"
#include "actors/agents/http/messages/http_reply.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::actors {

class http_connection;

/// Makes calls over connections. It is called on the thread of the loop, and may close the connection.
class connection_user {
public:
  connection_user() = default;
  connection_user(const connection_user&) = delete;
  connection_user& operator=(const connection_user&) = delete;
  virtual ~connection_user() = default;

  virtual void on_open(http_connection& c) = 0;
  /// `keeps`: another request may be sent over the connection.
  virtual void on_reply(http_connection& c, http_reply reply, bool keeps) = 0;
  /// The connection is closed: what was sent over it gets no answer.
  virtual void on_broken(http_connection& c, broken_call b) = 0;
};

/// One connection to a service, or to the proxy in front of it, on the thread of a loop. It is always being read, so
/// that its end is noticed even when no answer is expected.
class http_connection : public std::enable_shared_from_this<http_connection> {
public:
  using address = boost::asio::ip::address;
  using steps = std::vector<std::unique_ptr<opening>>;

  /// REQUIRES: the user outlives it, or closes it.
  http_connection(boost::asio::io_context& io, connection_user& user) : io_{io}, user_{user}, socket_{io}, limit_{io} {}

  // In this order: first the time in which it must become open.
  void limit_opening(std::chrono::milliseconds limit);
  void dial(const std::vector<address>& addresses, std::uint16_t port, steps openings);

  /// REQUIRES: it is open, and every request before was answered. False: no byte was sent, and none can be.
  bool send(std::string_view request, std::uint64_t body_max, bool answer_has_no_body);

  /// As far as this host knows. REQUIRES: it is open, and no answer is expected.
  bool is_alive();

  /// Its user is told nothing more about it.
  void close();
  /// The same, but the user is told why.
  void give_up(broken_call b);

  call_ticket ticket = 0;  ///< its user's: of the call that it is for
  unsigned idle_since = 0; ///< its user's

private:
  using error_code = boost::system::error_code;

  void begin(boost::asio::ip::tcp::socket made);
  void go_on_opening();
  void read();
  void on_read(const error_code& e, std::size_t size);
  bool pass_layers(std::string_view& bytes);
  void take(std::string_view bytes);
  void take_end(bool is_in_order);
  void on_answer(answer_reader::state s);
  bool write(std::string_view plain, std::size_t through_layers);
  bool put_on_wire(std::string_view bytes);
  void on_written(const error_code& e, std::size_t size);

  boost::asio::io_context& io_;
  connection_user& user_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer limit_;
  std::shared_ptr<dialling> dialling_;
  steps openings_;                                 ///< those that are not done yet; the first is under way
  std::vector<std::unique_ptr<tls_layer>> layers_; ///< the outermost first
  std::string in_;                                 ///< for the openings
  std::string plain_;                              ///< what the layers made of the bytes that came
  std::optional<answer_reader> reader_;            ///< of the answer that is expected
  std::string out_;                                ///< what the system has still to take
  std::string after_out_;                          ///< what follows that
  std::size_t sent_ = 0;                           ///< bytes that the system took for the last request
  bool is_open_ = false;
  bool is_closed_ = false;
  std::array<char, 16 << 10> bytes_; ///< the bytes being read; not initialized
};

} // namespace steadfast::actors
