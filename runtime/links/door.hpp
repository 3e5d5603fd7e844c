#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

// How many may connect to a node at a time, and how often the log says that somebody was turned away.

namespace steadfast::runtime {

struct door_limits {
  std::size_t handshakes_max = 128;           ///< under way at a time
  std::size_t handshakes_of_address_max = 16; ///< of these
  std::size_t links_max = 1024;               ///< accepted ones that are open
};

/// Counts accepted connections. Not for several threads at once.
class door {
public:
  explicit door(door_limits limits) : limits_{limits} {}

  /// Why nobody from there is accepted now; empty: counts as a handshake until `has_greeted`, and as a link after that.
  std::string why_full(const std::string& address);
  /// The peer is known, or was turned away.
  void has_greeted(const std::string& address, bool is_let_in);
  void has_left() { --links_; }

private:
  door_limits limits_;
  std::map<std::string, std::size_t> greeting_; ///< by address
  std::size_t all_greeting_ = 0;
  std::size_t links_ = 0;
};

/// Logs the same line once a minute, and no more than thirty lines a minute.
class refusal_log {
public:
  using instant = std::chrono::steady_clock::time_point;

  /// The line to write; nothing: it is not written.
  std::optional<std::string> line(const std::string& address, const std::string& why, instant now);

private:
  struct entry {
    instant said;
    std::uint64_t unsaid = 0;
  };

  void forget_old(instant now);

  std::map<std::pair<std::string, std::string>, entry> said_;
  instant minute_began_;
  std::size_t lines_ = 0;    ///< in this minute
  std::uint64_t unsaid_ = 0; ///< in this minute, because there were too many lines
};

} // namespace steadfast::runtime
