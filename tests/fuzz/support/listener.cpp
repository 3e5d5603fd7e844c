#include "tests/fuzz/support/listener.hpp"

#include "tests/fuzz/support/fuzz.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace steadfast::fuzz {

namespace {

template <class Address>
int listen_at(const Address& address, int family) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listens =
    fd >= 0 && bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && listen(fd, SOMAXCONN) == 0;
  expect(listens, "a socket listens", std::strerror(errno));
  return fd;
}

int listen_on_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return listen_at(address, AF_INET);
}

int listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  expect(path.native().size() < sizeof address.sun_path, "a path is short enough for a socket");
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  return listen_at(address, AF_UNIX);
}

void read_to(int connection, const std::string& end) {
  std::string got;
  std::array<char, 4096> buffer{};
  while (!got.ends_with(end)) {
    const auto n = recv(connection, buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    got.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

void write_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return; // the other side has had enough
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

} // namespace

listener::listener(int fd, std::string end) : fd_{fd}, end_{std::move(end)}, thread_{[this] { serve(); }} {}

listener::~listener() {
  shutdown(fd_, SHUT_RDWR); // ends the wait for another connection
  thread_.join();
  close(fd_);
}

void listener::say(std::string_view bytes) {
  const std::lock_guard lock{mutex_};
  bytes_ = bytes;
}

void listener::serve() {
  for (;;) {
    const int connection = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0 && (errno == EINTR || errno == ECONNABORTED))
      continue;
    if (connection < 0)
      return;
    answer(connection);
    close(connection);
  }
}

void listener::answer(int connection) {
  read_to(connection, end_);
  std::string bytes;
  {
    const std::lock_guard lock{mutex_};
    bytes = bytes_;
  }
  write_all(connection, bytes);
}

tcp_listener::tcp_listener() : listener{listen_on_loopback(), "\r\n\r\n{}"} {}

std::uint16_t tcp_listener::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  expect(getsockname(fd(), reinterpret_cast<sockaddr*>(&address), &size) == 0, "a socket has a port");
  return ntohs(address.sin_port);
}

unix_listener::unix_listener(const std::filesystem::path& path) : listener{listen_at(path), "\n"} {}

} // namespace steadfast::fuzz
