#include "apps/command_line.hpp"

#include <csignal>

int main(int argc, char** argv) {
  // A reader that went away (`| head`) is noticed by the write that fails.
  std::signal(SIGPIPE, SIG_IGN);
  return steadfast::apps::run_command_line({argv + 1, argv + argc});
}
