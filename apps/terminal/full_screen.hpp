#pragma once

#include "apps/terminal/interrupt.hpp"
#include "workflow/time/time.hpp"

#include <termios.h>

#include <csignal>
#include <optional>
#include <string>

namespace steadfast::apps {

/// Uses the whole terminal for pictures that follow each other, and restores it at the end. Without a terminal the
/// pictures are printed one after the other.
class full_screen {
public:
  full_screen();
  ~full_screen();
  full_screen(const full_screen&) = delete;
  full_screen& operator=(const full_screen&) = delete;

  void show(const std::string& picture);

  /// Until the time has passed, or at once when the terminal was resized. False: a person pressed q or Ctrl-C.
  bool wait(workflow::span time);

private:
  interrupt_guard guard_;
  bool is_terminal_ = false;
  std::optional<termios> before_; ///< of the keyboard
  struct sigaction resized_before_ {};
};

} // namespace steadfast::apps
