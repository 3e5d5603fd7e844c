#pragma once

#include "actors/agents/agent_options.hpp"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace steadfast::tests {

/// One connection at a service, as a test plays it.
class talk {
public:
  talk(int fd, int number) : number{number}, fd_{fd} {}
  ~talk() { close(fd_); }
  talk(const talk&) = delete;
  talk& operator=(const talk&) = delete;

  const int number; ///< how many came before it

  /// What has come; empty: the other end hung up.
  std::string hear() const {
    std::array<char, 65536> bytes; // NOLINT: it is filled before it is read
    const auto n = recv(fd_, bytes.data(), bytes.size(), 0);
    return n <= 0 ? std::string{} : std::string{bytes.data(), static_cast<std::size_t>(n)};
  }
  /// Up to that end; less if the other end hung up before.
  std::string hear_until(std::string_view end) const {
    std::string all;
    while (!all.ends_with(end)) {
      const auto more = hear();
      if (more.empty())
        break;
      all += more;
    }
    return all;
  }
  /// A call with the input "{}".
  std::string hear_call() const { return hear_until("\r\n\r\n{}"); }
  void say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void answer(const std::string& body) const {
    say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void hang_up() const { shutdown(fd_, SHUT_RDWR); }

private:
  int fd_;
};

/// On a port of 127.0.0.1; a thread for each connection.
class talking_service {
public:
  explicit talking_service(std::function<void(talk&)> play) : play_{std::move(play)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(listening_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(listen(listening_, 64) == 0);
    REQUIRE(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port = ntohs(address.sin_port);
    options.url = "http://" + authority() + "/charge";
    accepting_ = std::thread{[this] { accept_all(); }};
  }
  /// Waits for those who play, so the callers must have hung up.
  ~talking_service() {
    go_away();
    for (auto& t : threads_)
      t.join();
  }
  talking_service(const talking_service&) = delete;
  talking_service& operator=(const talking_service&) = delete;

  /// Nobody gets a connection any more.
  void go_away() {
    if (!accepting_.joinable())
      return;
    shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    close(listening_);
  }
  std::string authority() const { return "127.0.0.1:" + std::to_string(port); }

  std::uint16_t port = 0;
  actors::http_options options;
  std::atomic<int> connections = 0;
  std::atomic<int> ended = 0; ///< of them; on return of their play they are closed

private:
  void accept_all() {
    for (int fd = 0; (fd = accept(listening_, nullptr, nullptr)) >= 0;)
      threads_.emplace_back([this, fd, number = connections++] {
        {
          talk t{fd, number};
          play_(t);
        }
        ++ended;
      });
  }

  const std::function<void(talk&)> play_;
  const int listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<std::thread> threads_; ///< the accepting thread's
  std::thread accepting_;
};

} // namespace steadfast::tests
