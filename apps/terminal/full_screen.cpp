#include "apps/terminal/full_screen.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

namespace steadfast::apps {
namespace {

constexpr const char* enter_screen = "\x1b[?1049h\x1b[?25l"; // alternate screen, no cursor
constexpr const char* leave_screen = "\x1b[?25h\x1b[?1049l";
constexpr const char* to_corner = "\x1b[H";
constexpr const char* clear_line = "\x1b[K";
constexpr const char* clear_rest = "\x1b[J";

volatile std::sig_atomic_t was_resized = 0;

void note_resize(int) {
  was_resized = 1;
}

/// Whether q is among the keys pressed.
bool is_told_to_leave() {
  char pressed_keys[64];
  const auto size = read(STDIN_FILENO, pressed_keys, sizeof pressed_keys);
  return size > 0 && std::find(pressed_keys, pressed_keys + size, 'q') != pressed_keys + size;
}

} // namespace

full_screen::full_screen() : is_terminal_{isatty(STDOUT_FILENO) == 1} {
  struct sigaction noted {};
  noted.sa_handler = note_resize;
  sigaction(SIGWINCH, &noted, &resized_before_);
  if (!is_terminal_)
    return;
  std::cout << enter_screen;
  if (termios now{}; isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &now) == 0) {
    before_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    now.c_cc[VMIN] = 0;
    now.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
  }
}

full_screen::~full_screen() {
  sigaction(SIGWINCH, &resized_before_, nullptr);
  if (before_)
    tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  if (is_terminal_)
    std::cout << leave_screen << std::flush;
}

void full_screen::show(const std::string& picture) {
  if (!is_terminal_) {
    std::cout << picture << '\n' << std::flush;
    return;
  }
  std::string lines = to_corner;
  for (const char c : picture)
    lines += c == '\n' ? std::string{clear_line} + "\r\n" : std::string{c};
  std::cout << lines << clear_line << clear_rest << std::flush;
}

bool full_screen::wait(workflow::span time) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left = std::chrono::duration_cast<workflow::span>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return true;
    pollfd keyboard{STDIN_FILENO, POLLIN, 0};
    poll(&keyboard, before_ ? 1 : 0, static_cast<int>(left.count()));
    if (interrupt_guard::interrupted() || ((keyboard.revents & POLLIN) != 0 && is_told_to_leave()))
      return false;
    if (was_resized != 0) {
      was_resized = 0;
      return true;
    }
  }
}

} // namespace steadfast::apps
