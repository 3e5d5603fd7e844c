// Connections that CAF gets from the links: what becomes of them once a node that stops has broken off.

#include "runtime/links/caf_ends.hpp"

#include "actors/protocol/type_ids.hpp"
#include "runtime/links/network.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace steadfast::runtime;
using tests::comes_true;

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

constexpr std::chrono::seconds patience{20};

std::array<owned_socket, 2> socket_pair() {
  std::array<int, 2> pair{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
  return {owned_socket{pair[0]}, owned_socket{pair[1]}};
}

/// A node, as far as CAF is concerned: an actor that answers is published for others.
struct caf_node {
  caf_node() {
    caf::scoped_actor self{system};
    self
      ->request(connector, patience, caf::publish_atom_v, door_for_nodes,
                caf::actor_cast<caf::strong_actor_ptr>(answering), std::set<std::string>{}, std::string{}, true)
      .receive([](std::uint16_t) {}, [&](const caf::error& e) { FAIL(system.render(e)); });
  }
  ~caf_node() {
    ends.break_off();
    caf::anon_send_exit(answering, caf::exit_reason::kill);
    caf::anon_send_exit(connector, caf::exit_reason::kill);
  }
  caf_node(const caf_node&) = delete;
  caf_node& operator=(const caf_node&) = delete;

  /// The answer of that actor; 0: none.
  std::int32_t number_after(const caf::actor& of, std::int32_t number) {
    std::int32_t answer = 0;
    caf::scoped_actor self{system};
    self->request(of, patience, number).receive([&](std::int32_t n) { answer = n; }, [](const caf::error&) {});
    return answer;
  }

  network_config config;
  caf::actor_system system{config};
  caf_ends ends;
  caf::io::middleman_actor connector = spawn_connector(system, ends);
  caf::actor answering = system.spawn(
    [](caf::event_based_actor*) -> caf::behavior { return {[](std::int32_t number) { return number + 1; }}; });
};

/// A connection from one node to another that this test carries.
class wire {
public:
  wire(caf_node& from, caf_node& to) : self_{from.system} {
    auto near = socket_pair();
    auto far = socket_pair();
    from_ = std::move(near[0]);
    to_ = std::move(far[0]);
    const auto ticket = from.ends.add_dialed({std::move(near[1]), {}, "127.0.0.1"});
    to.ends.add({std::move(far[1]), {}, "127.0.0.1"});
    answer_.emplace(self_->request(from.connector, patience, caf::connect_atom_v, ticket, caf_ends::dialed_port));
  }

  ~wire() {
    for (const auto* end : {&from_, &to_})
      shutdown(end->number(), SHUT_RDWR);
  }
  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  /// What CAF says first where the connection came in.
  void carry_greeting() { CHECK(carry(to_, from_)); }

  /// From now on by itself, until it has ended.
  void carry_on() {
    threads_.emplace_back([this] { carry_all(from_, to_); });
    threads_.emplace_back([this] { carry_all(to_, from_); });
  }

  /// The actor there.
  caf::actor reached() {
    caf::actor found;
    answer_->receive([&](const caf::node_id&, const caf::strong_actor_ptr& actor,
                         const std::set<std::string>&) { found = caf::actor_cast<caf::actor>(actor); },
                     [&](const caf::error& e) { FAIL(self_->system().render(e)); });
    if (found)
      self_->monitor(found);
    return found;
  }

  /// Both sides have ended it.
  bool has_ended() const { return ended_ == 2; }
  /// The actor that was reached is lost to who dialed.
  bool is_told() {
    self_->receive_while([this] { return !is_told_ && self_->has_next_message(); })(
      [this](const caf::down_msg&) { is_told_ = true; });
    return is_told_;
  }

private:
  static bool has_bytes(const owned_socket& s) {
    pollfd p{s.number(), POLLIN, 0};
    return poll(&p, 1, static_cast<int>(std::chrono::milliseconds{patience}.count())) > 0;
  }
  static bool carry(const owned_socket& from, const owned_socket& to) {
    std::array<char, 4096> bytes;
    const auto n = has_bytes(from) ? recv(from.number(), bytes.data(), bytes.size(), 0) : 0;
    return n > 0 && send(to.number(), bytes.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
  }

  void carry_all(const owned_socket& from, const owned_socket& to) {
    while (carry(from, to)) {
    }
    shutdown(to.number(), SHUT_WR);
    ++ended_;
  }

  caf::scoped_actor self_;
  owned_socket from_;
  owned_socket to_;
  using answer = decltype(std::declval<caf::scoped_actor&>()->request(
    std::declval<caf::io::middleman_actor>(), patience, caf::connect_atom_v, std::string{}, std::uint16_t{}));
  std::optional<answer> answer_;
  std::atomic<int> ended_ = 0; ///< of the two directions
  bool is_told_ = false;
  std::vector<std::jthread> threads_;
};

} // namespace

TEST_CASE("row 20: a connection that CAF gets after all were broken off is shut down at once") {
  network_config config;
  config.set("middleman.heartbeat-interval", caf::timespan{std::chrono::hours{1}}); // by which CAF ends the silent
  caf::actor_system system{config};
  caf_ends ends;
  const auto connector = spawn_connector(system, ends);
  auto [near, other] = socket_pair();
  const bool is_over = GENERATE(false, true);
  if (is_over)
    ends.break_off();
  const auto ticket = ends.add_dialed({std::move(near), {}, "127.0.0.1"});
  caf::scoped_actor self{system};
  self->send(connector, caf::connect_atom_v, ticket, caf_ends::dialed_port);
  if (is_over) {
    CHECK(ends_within(other.number(), patience));
  } else {
    CHECK_FALSE(ends_within(other.number(), std::chrono::milliseconds{200})); // CAF waits for an answer
    ends.break_off();
    CHECK(ends_within(other.number(), patience));
  }
  caf::anon_send_exit(connector, caf::exit_reason::kill);
}

TEST_CASE("row 148: two nodes that connect to each other at once keep one connection, and are told of what ends") {
  caf_node a;
  caf_node b;
  wire there{a, b};
  wire back{b, a};
  there.carry_greeting();
  back.carry_greeting();
  CHECK(there.reached()); // now each has its own
  CHECK(back.reached());
  there.carry_on();
  back.carry_on();
  CHECK(comes_true([&] {
    const bool has_one_ended = there.has_ended() || back.has_ended();
    return has_one_ended && there.is_told() == there.has_ended() && back.is_told() == back.has_ended();
  }));
}

TEST_CASE("row 148: a connection to a node that is connected already ends, and the first one stays") {
  caf_node a;
  caf_node b;
  wire first{a, b};
  first.carry_on();
  const auto reached = first.reached();
  REQUIRE(a.number_after(reached, 1) == 2);
  const bool is_back = GENERATE(false, true);
  wire second{is_back ? b : a, is_back ? a : b};
  second.carry_on();
  const auto again = second.reached();
  CHECK(comes_true([&] { return second.has_ended(); }));
  CHECK((is_back ? b : a).number_after(again, 3) == 4);
  CHECK(a.number_after(reached, 7) == 8);
  CHECK_FALSE(first.has_ended());
}
