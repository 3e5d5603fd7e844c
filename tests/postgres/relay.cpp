#include "tests/postgres/relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace steadfast::tests {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int new_socket() {
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

} // namespace

relay::relay(std::uint16_t to) : to_{to}, listener_{new_socket()} {
  auto address = loopback(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, any, size) != 0 || listen(listener_, 16) != 0 || getsockname(listener_, any, &size) != 0)
    throw std::runtime_error{"no port for a relay"};
  port_ = ntohs(address.sin_port);
  thread_ = std::thread{[this] { run(); }};
}

relay::~relay() {
  is_over_ = true;
  thread_.join();
  close(listener_);
  for (const auto& p : pairs_) {
    close(p.client);
    close(p.server);
  }
}

void relay::run() {
  constexpr int look_ms = 5; ///< whether somebody has frozen it, or ended it
  while (!is_over_) {
    std::vector<pollfd> all{{listener_, POLLIN, 0}};
    for (const auto& p : pairs_)
      for (const int end : {p.client, p.server})
        all.push_back({end, POLLIN, 0});
    if (is_frozen_)
      poll(nullptr, 0, look_ms);
    else if (poll(all.data(), all.size(), look_ms) > 0 && !is_frozen_) {
      for (auto i = pairs_.size(); i-- > 0;) {
        const auto [client, server] = pairs_[i];
        const bool asks = all[1 + 2 * i].revents != 0;
        const bool answers = all[2 + 2 * i].revents != 0;
        if ((!asks || pass(client, server)) && (!answers || pass(server, client)))
          continue;
        close(client);
        close(server);
        pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (all[0].revents != 0)
        take_client();
    }
  }
}

void relay::take_client() {
  const pair p{accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), new_socket()};
  const auto address = loopback(to_);
  if (connect(p.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return pairs_.push_back(p);
  close(p.client);
  close(p.server);
}

bool relay::pass(int from, int to) {
  std::array<char, 65'536> bytes{};
  const auto got = recv(from, bytes.data(), bytes.size(), 0);
  for (ssize_t sent = 0; sent < got;) {
    const auto n = send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (n <= 0)
      return false;
    sent += n;
  }
  return got > 0;
}

} // namespace steadfast::tests
