#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace steadfast::fuzz {

/// Takes connections one after the other on a thread of its own, reads until there is an end of a request, says what it
/// was told to say, and hangs up.
class listener {
public:
  /// Of a socket that listens; it closes it. A request ends with `end`.
  listener(int fd, std::string end);
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  /// To whoever asks from now on.
  void say(std::string_view bytes);

protected:
  int fd() const { return fd_; }

private:
  void serve();
  void answer(int connection);

  int fd_;
  std::string end_;
  std::mutex mutex_;
  std::string bytes_;
  std::thread thread_;
};

/// On a port of 127.0.0.1, for HTTP requests whose body is "{}".
class tcp_listener : public listener {
public:
  tcp_listener();
  std::uint16_t port() const;
};

/// On a Unix-domain socket, for requests of one line.
class unix_listener : public listener {
public:
  explicit unix_listener(const std::filesystem::path& path);
};

} // namespace steadfast::fuzz
