#include "runtime/connections.hpp"

#include <asio.hpp>
#include <catch2/catch.hpp>

using asio::ip::tcp;
using steadfast::runtime::connections;

namespace {

tcp::acceptor listening(asio::io_context& io) {
  return {io, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
}

std::uint16_t port_of(const tcp::acceptor& at) {
  return at.local_endpoint().port();
}

/// Both ends of a connection.
struct pair_of_ends {
  explicit pair_of_ends(asio::io_context& io, tcp::acceptor& at) : near{io}, far{io} {
    near.connect(at.local_endpoint());
    at.accept(far);
  }

  /// False: it is shut down.
  bool carries() {
    asio::error_code wrong;
    char byte = 'x';
    asio::write(near, asio::buffer(&byte, 1), wrong);
    return !wrong && asio::read(far, asio::buffer(&byte, 1), wrong) == 1;
  }

  tcp::socket near;
  tcp::socket far;
};

} // namespace

TEST_CASE("connections to nodes that were dialed are broken off, and no others") {
  asio::io_context io;
  auto node = listening(io);
  auto service = listening(io);
  pair_of_ends to_node{io, node};
  pair_of_ends to_service{io, service};
  connections all{0};
  all.dialed({"127.0.0.1", port_of(node)});
  all.break_off();
  CHECK_FALSE(to_node.carries());
  CHECK(to_service.carries());
}

TEST_CASE("connections of nodes that came in are broken off, and the port is still listened at") {
  asio::io_context io;
  auto own = listening(io);
  pair_of_ends first{io, own};
  connections all{port_of(own)};
  REQUIRE(first.carries());
  all.break_off();
  CHECK_FALSE(first.carries());
  CHECK(pair_of_ends{io, own}.carries());
}
