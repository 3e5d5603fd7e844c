#include "examples/services/front/connections.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <filesystem>
#include <string>

namespace services {

namespace {

/// The port at the other end; 0 if the file is not a connection.
int remote_port_of(int file) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sin_family != AF_INET)
    return 0;
  return ntohs(peer.sin_port);
}

template <class Visit>
void each_connection(Visit visit) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd", ignored}) {
    const auto name = entry.path().filename().string();
    int file = -1;
    std::from_chars(name.data(), name.data() + name.size(), file);
    if (const int port = remote_port_of(file); port != 0)
      visit(file, port);
  }
}

} // namespace

void close_connection_from(int remote_port) {
  each_connection([remote_port](int file, int port) {
    if (port == remote_port)
      ::shutdown(file, SHUT_RDWR);
  });
}

void stop_reading_from_all() {
  each_connection([](int file, int) { ::shutdown(file, SHUT_RD); });
}

} // namespace services
