#pragma once

#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/keys.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <string>

namespace steadfast::apps {

/// Uses the whole terminal for pictures that follow each other, and restores it at the end, also when a signal ends or
/// stops the program. Without a terminal the pictures are printed one after the other. One at a time exists.
class full_screen {
public:
  full_screen();
  ~full_screen();
  full_screen(const full_screen&) = delete;
  full_screen& operator=(const full_screen&) = delete;

  /// A person is there, who sees pictures and presses keys.
  bool has_keys() const;

  void show(const std::string& picture);

  enum class woken : std::uint8_t {
    by_key,
    by_time,
    by_size, ///< the terminal was resized, or shows something else since the program was stopped
    to_leave ///< Ctrl-C, or the terminal has gone
  };
  /// The first of them; after `by_key`, `pressed` has the key.
  woken wait(std::chrono::steady_clock::time_point until, key& pressed);

private:
  bool read_keys();

  interrupt_guard guard_;
  std::map<int, struct sigaction> before_; ///< by signal
  std::string unread_;
};

} // namespace steadfast::apps
