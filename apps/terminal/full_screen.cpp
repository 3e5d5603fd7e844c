#include "apps/terminal/full_screen.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

namespace steadfast::apps {
namespace {

constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l"; // alternate screen, no cursor
constexpr std::string_view leave_screen = "\x1b[?25h\x1b[?1049l";
constexpr const char* to_corner = "\x1b[H";
constexpr const char* clear_line = "\x1b[K";
constexpr const char* clear_rest = "\x1b[J";
constexpr std::chrono::milliseconds look_at_least_every{1000}; ///< a signal may come just before a wait begins
constexpr int rest_of_key_ms = 50; ///< the bytes of one key come together, also over a network

volatile std::sig_atomic_t was_resized = 0;

/// What a handler of signals needs.
struct {
  bool shows = false;
  bool reads = false;
  termios before{};
  termios ours{};
} terminal_now;

void put(std::string_view sequence) {
  [[maybe_unused]] const auto ignored = write(STDOUT_FILENO, sequence.data(), sequence.size());
}

void enter() {
  if (terminal_now.reads)
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_now.ours);
  if (terminal_now.shows)
    put(enter_screen);
}

void leave() {
  if (terminal_now.shows)
    put(leave_screen);
  if (terminal_now.reads)
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_now.before);
}

void note_resize(int) {
  was_resized = 1;
}

struct sigaction handled_by(void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return action;
}

/// Ends the program as it would have ended without this.
void end_by(int signal) {
  leave();
  const auto as_always = handled_by(SIG_DFL);
  sigaction(signal, &as_always, nullptr);
  raise(signal); // held back until this returns
}

void stop_by(int signal) {
  leave();
  const auto as_always = handled_by(SIG_DFL);
  const auto ours = handled_by(stop_by, SA_NODEFER);
  sigaction(signal, &as_always, nullptr);
  raise(signal); // returns when the program goes on
  sigaction(signal, &ours, nullptr);
  enter();
  was_resized = 1;
}

} // namespace

full_screen::full_screen() {
  terminal_now = {};
  terminal_now.shows = isatty(STDOUT_FILENO) == 1;
  if (terminal_now.shows && isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &terminal_now.before) == 0) {
    terminal_now.reads = true;
    terminal_now.ours = terminal_now.before;
    terminal_now.ours.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    terminal_now.ours.c_cc[VMIN] = 0;
    terminal_now.ours.c_cc[VTIME] = 0;
  }
  std::map<int, struct sigaction> ours{{SIGWINCH, handled_by(note_resize)}, {SIGTSTP, handled_by(stop_by, SA_NODEFER)}};
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT, SIGABRT})
    ours[signal] = handled_by(end_by);
  for (const auto& [signal, action] : ours) {
    sigaction(signal, nullptr, &before_[signal]);
    if (before_[signal].sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
  std::cout.flush();
  enter();
}

full_screen::~full_screen() {
  std::cout.flush();
  leave();
  terminal_now = {};
  for (const auto& [signal, action] : before_)
    sigaction(signal, &action, nullptr);
}

bool full_screen::has_keys() const {
  return terminal_now.reads;
}

void full_screen::show(const std::string& picture) {
  if (!terminal_now.shows) {
    std::cout << picture << '\n' << std::flush;
    return;
  }
  std::string lines = to_corner;
  for (const char c : picture)
    lines += c == '\n' ? std::string{clear_line} + "\r\n" : std::string{c};
  std::cout << lines << clear_line << clear_rest << std::flush;
}

/// False: the terminal has gone. An escape may be the beginning of a key whose other bytes are on their way.
bool full_screen::read_keys() {
  for (;;) {
    char bytes[64];
    const auto size = read(STDIN_FILENO, bytes, sizeof bytes);
    if (size <= 0)
      return !unread_.empty();
    unread_.append(bytes, static_cast<std::size_t>(size));
    pollfd keyboard{STDIN_FILENO, POLLIN, 0};
    if (unread_.back() != '\x1b' || poll(&keyboard, 1, rest_of_key_ms) <= 0)
      return true;
  }
}

full_screen::woken full_screen::wait(std::chrono::steady_clock::time_point until, key& pressed) {
  using std::chrono::milliseconds;
  for (;;) {
    if (interrupt_guard::interrupted())
      return woken::to_leave;
    if (was_resized != 0) {
      was_resized = 0;
      return woken::by_size;
    }
    if (!unread_.empty()) {
      pressed = take_key(unread_);
      return woken::by_key;
    }
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return woken::by_time;
    pollfd keyboard{STDIN_FILENO, POLLIN, 0};
    if (poll(&keyboard, terminal_now.reads ? 1 : 0, static_cast<int>(std::min(left, look_at_least_every).count())) > 0
        && !read_keys())
      return woken::to_leave;
  }
}

} // namespace steadfast::apps
