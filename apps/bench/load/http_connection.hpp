#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace steadfast::bench {

inline boost::asio::ip::tcp::endpoint local_endpoint(std::uint16_t port) {
  return {boost::asio::ip::make_address("127.0.0.1"), port};
}

/// Not boost::none: with it Beast 1.74 takes an answer whose body comes after its header for one that is too large.
inline constexpr std::uint64_t answer_max = 1 << 30;

/// To a port of this host; stays open. One request at a time, each of which blocks.
class http_connection {
public:
  using response = boost::beast::http::response<boost::beast::http::string_body>;

  explicit http_connection(std::uint16_t port) {
    stream_.connect(local_endpoint(port));
    stream_.socket().set_option(boost::asio::ip::tcp::no_delay{true});
  }

  response ask(boost::beast::http::verb verb, const std::string& target, std::string body = {}) {
    boost::beast::http::request<boost::beast::http::string_body> r{verb, target, 11, std::move(body)};
    r.set(boost::beast::http::field::host, "localhost");
    r.prepare_payload();
    boost::beast::http::write(stream_, r);
    boost::beast::http::response_parser<boost::beast::http::string_body> answer;
    answer.body_limit(answer_max);
    boost::beast::http::read(stream_, buffer_, answer);
    return answer.release();
  }

private:
  boost::asio::io_context io_;
  boost::beast::tcp_stream stream_{io_};
  boost::beast::flat_buffer buffer_;
};

} // namespace steadfast::bench
