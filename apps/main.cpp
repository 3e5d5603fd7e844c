#include "apps/command_line/command_line.hpp"
#include "apps/command_line/shorthand.hpp"

#include <csignal>

int main(int argc, char** argv) {
  // A reader that went away (`| head`) is noticed by the failing write.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow any more (`ulimit -f`) is a failing write too, and a full store.
  std::signal(SIGXFSZ, SIG_IGN);
  using namespace steadfast::apps;
  return run_command_line(in_full({argv + 1, argv + argc}));
}
