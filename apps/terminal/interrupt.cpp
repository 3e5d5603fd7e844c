#include "apps/terminal/interrupt.hpp"

#include <poll.h>
#include <unistd.h>

#include <iostream>

namespace steadfast::apps {
namespace {

constexpr int poll_ms = 100;

volatile std::sig_atomic_t was_pressed = 0;

volatile std::sig_atomic_t is_repeated = 0;

void note(int signal) {
  if (signal == SIGINT)
    was_pressed = 1;
  if (was_pressed != 0 && is_repeated != 0)
    alarm(1);
}

} // namespace

interrupt_guard::interrupt_guard() {
  struct sigaction ours {};
  ours.sa_handler = note; // without SA_RESTART: a read ends too
  sigaction(SIGINT, &ours, &before_);
  if (before_.sa_handler != note)
    was_pressed = 0;
}

interrupt_guard::~interrupt_guard() {
  sigaction(SIGINT, &before_, nullptr);
}

bool interrupt_guard::interrupted() {
  return was_pressed != 0;
}

/// Looks for Ctrl-C now and then: a signal that comes just before a read begins would not end it.
std::optional<std::string> interrupt_guard::typed_line() {
  pollfd keyboard{STDIN_FILENO, POLLIN, 0};
  while (!interrupted() && poll(&keyboard, 1, poll_ms) <= 0) {
  }
  std::string line;
  if (interrupted() || !std::getline(std::cin, line))
    return std::nullopt;
  return line;
}

void interrupt_guard::clear() {
  was_pressed = 0;
}

interrupt_guard::repeated::repeated() {
  struct sigaction ours {};
  ours.sa_handler = note;
  sigaction(SIGALRM, &ours, &before_);
  is_repeated = 1;
}

interrupt_guard::repeated::~repeated() {
  is_repeated = 0;
  alarm(0);
  sigaction(SIGALRM, &before_, nullptr);
}

} // namespace steadfast::apps
