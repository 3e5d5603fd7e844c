// Connections that CAF gets from the links: what becomes of them once a node that stops has broken off.

#include "runtime/links/caf_ends.hpp"

#include "actors/protocol/type_ids.hpp"
#include "runtime/links/network.hpp"

#include <catch2/catch.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>

using namespace steadfast;
using namespace steadfast::runtime;

namespace {

struct network_config : caf::actor_system_config {
  network_config() { load_network(*this); }
};

/// Whether the other side is told of an end, whatever else it is sent before.
bool ends_within(int socket, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::array<char, 4096> bytes;
  for (;;) {
    const auto left = until - std::chrono::steady_clock::now();
    pollfd p{socket, POLLIN, 0};
    if (left <= left.zero()
        || poll(&p, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count())) <= 0)
      return false;
    if (recv(socket, bytes.data(), bytes.size(), 0) <= 0)
      return true;
  }
}

} // namespace

TEST_CASE("row 20: a connection that CAF gets after all were broken off is shut down at once") {
  network_config config;
  caf::actor_system system{config};
  caf_ends ends;
  const auto connector = spawn_connector(system, ends);
  std::array<int, 2> pair{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
  const owned_socket other{pair[1]};
  const bool is_over = GENERATE(false, true);
  if (is_over)
    ends.break_off();
  const auto ticket = ends.add_dialed({owned_socket{pair[0]}, {}, "127.0.0.1"});
  caf::scoped_actor self{system};
  self->send(connector, caf::connect_atom_v, ticket, caf_ends::dialed_port);
  if (is_over) {
    CHECK(ends_within(other.number(), std::chrono::seconds{20}));
  } else {
    CHECK_FALSE(ends_within(other.number(), std::chrono::milliseconds{200})); // CAF waits for an answer
    ends.break_off();
    CHECK(ends_within(other.number(), std::chrono::seconds{20}));
  }
  caf::anon_send_exit(connector, caf::exit_reason::kill);
}
