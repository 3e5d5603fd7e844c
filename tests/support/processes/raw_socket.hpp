#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace steadfast::tests {

/// A client of a Unix-domain socket that says whatever a test wants, well-formed or not.
class raw_socket {
public:
  explicit raw_socket(const std::filesystem::path& path) : fd_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close(fd_);
      throw std::runtime_error{"nobody listens at " + path.string()};
    }
  }
  ~raw_socket() { close(fd_); }
  raw_socket(const raw_socket&) = delete;
  raw_socket& operator=(const raw_socket&) = delete;

  /// False when the other side hung up.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto n = uninterrupted([&] { return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
      if (n <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  void end_of_input() const { shutdown(fd_, SHUT_WR); }

  /// The next line without its end; nothing when the other side hung up, or said nothing for ten seconds.
  std::optional<std::string> read_line() {
    for (;;) {
      if (const auto end = in_.find('\n'); end != std::string::npos) {
        auto line = in_.substr(0, end);
        in_.erase(0, end + 1);
        return line;
      }
      pollfd fd{fd_, POLLIN, 0};
      std::array<char, 65536> buffer{};
      const bool is_there = uninterrupted([&] { return poll(&fd, 1, 10'000); }) > 0;
      const auto n = is_there ? uninterrupted([&] { return recv(fd_, buffer.data(), buffer.size(), 0); }) : 0;
      if (n <= 0)
        return std::nullopt;
      in_.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

  std::string ask(std::string_view line) {
    send(line);
    send("\n");
    return read_line().value_or("");
  }

private:
  /// A fuzzer has a timer, whose signal ends any wait.
  template <class Call>
  static std::invoke_result_t<Call> uninterrupted(Call call) {
    for (;;)
      if (const auto n = call(); n >= 0 || errno != EINTR)
        return n;
  }

  int fd_;
  std::string in_;
};

} // namespace steadfast::tests
