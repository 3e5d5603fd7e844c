#include "runtime/connections.hpp"

#include <asio/ip/tcp.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

namespace steadfast::runtime {

namespace {

std::vector<int> open_files() {
  std::vector<int> all;
  std::error_code not_mounted;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd", not_mounted})
    all.push_back(std::stoi(entry.path().filename().string()));
  return all;
}

bool is_stream(int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/// Of a connected TCP socket, as getsockname or getpeername tells it.
std::optional<asio::ip::tcp::endpoint> end_of(int socket, int (*told)(int, sockaddr*, socklen_t*) noexcept) {
  asio::ip::tcp::endpoint end;
  auto size = static_cast<socklen_t>(end.capacity());
  if (told(socket, end.data(), &size) != 0)
    return std::nullopt;
  const auto family = end.data()->sa_family;
  if (family != AF_INET && family != AF_INET6)
    return std::nullopt;
  end.resize(size);
  return end;
}

} // namespace

void connections::dialed(const address& to) {
  const std::lock_guard lock{mutex_};
  dialed_.insert(to);
}

void connections::break_off() const {
  for (const int file : open_files()) {
    const int same = fcntl(file, F_DUPFD_CLOEXEC, 0); // stays this socket, whatever others close and open meanwhile
    if (same < 0)
      continue;
    if (leads_to_a_node(same))
      shutdown(same, SHUT_RDWR);
    close(same);
  }
}

bool connections::leads_to_a_node(int socket) const {
  if (!is_stream(socket))
    return false;
  const auto near = end_of(socket, getsockname);
  const auto far = end_of(socket, getpeername);
  if (!near || !far)
    return false;
  const std::lock_guard lock{mutex_};
  return (port_ != 0 && near->port() == port_) || dialed_.contains({far->address().to_string(), far->port()});
}

} // namespace steadfast::runtime
