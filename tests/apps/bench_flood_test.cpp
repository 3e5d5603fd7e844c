// What the flood counts: each answer, however it arrives.

#include "apps/bench/load/gateway_load.hpp"

#include <boost/asio.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

using namespace steadfast::bench;
using nlohmann::json;

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Answers each request, the body some time after the header.
class slow_speaker : public std::enable_shared_from_this<slow_speaker> {
public:
  explicit slow_speaker(tcp::socket s) : socket_{std::move(s)}, timer_{socket_.get_executor()} {
    socket_.set_option(tcp::no_delay{true});
  }

  void read_header() {
    asio::async_read_until(socket_, asio::dynamic_buffer(in_), "\r\n\r\n",
                           [self = shared_from_this()](const error_code& e, std::size_t size) {
                             if (!e)
                               self->read_body(size);
                           });
  }

private:
  static constexpr std::chrono::milliseconds between{20};
  static constexpr const char* length = "Content-Length: ";

  void read_body(std::size_t header) {
    const auto at = in_.find(length);
    const auto body = at < header ? std::stoul(in_.substr(at + std::char_traits<char>::length(length))) : 0;
    const auto missing = header + body - std::min(header + body, in_.size());
    asio::async_read(socket_, asio::dynamic_buffer(in_), asio::transfer_exactly(missing),
                     [self = shared_from_this(), whole = header + body](const error_code& e, std::size_t) {
                       if (!e)
                         self->answer(whole);
                     });
  }

  void answer(std::size_t request) {
    const bool is_batch = in_.starts_with("POST");
    in_.erase(0, request);
    asio::write(socket_,
                asio::buffer(is_batch ? std::string{"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\n"}
                                      : std::string{"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"}));
    timer_.expires_after(between);
    timer_.async_wait([self = shared_from_this()](const error_code&) {
      error_code gone;
      asio::write(self->socket_, asio::buffer("busy", 4), gone);
      self->read_header();
    });
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  std::string in_;
};

class slow_port {
public:
  slow_port() {
    accept();
    thread_ = std::thread{[this] { io_.run(); }};
  }
  ~slow_port() {
    io_.stop();
    thread_.join();
  }
  slow_port(const slow_port&) = delete;
  slow_port& operator=(const slow_port&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
  void accept() {
    acceptor_.async_accept([this](const error_code& e, tcp::socket s) {
      if (e)
        return;
      std::make_shared<slow_speaker>(std::move(s))->read_header();
      accept();
    });
  }

  asio::io_context io_;
  tcp::acceptor acceptor_{io_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

} // namespace

TEST_CASE("a flood counts each answer, also one whose body comes after its header") {
  const slow_port node;
  flood_plan plan;
  plan.http_port = node.port();
  plan.rate = 400;
  plan.batch = 10;
  plan.connections = 2;
  plan.seconds = 0.25;
  const auto counted = flood(plan);
  INFO(counted.dump());
  CHECK(counted.at("offered") == 100);
  CHECK(counted.at("pushed_back") == 100);
  CHECK(counted.at("unanswered") == 0);
  CHECK(counted.at("without_retry_after") == 0);
}
