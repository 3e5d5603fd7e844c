#include "tests/support/processes/pseudo_terminal.hpp"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace steadfast::tests {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds look_every{20};

milliseconds left(clock::time_point until) {
  return std::max(std::chrono::duration_cast<milliseconds>(until - clock::now()), milliseconds{0});
}

winsize window_of(pseudo_terminal::size s) {
  return {s.lines, s.columns, 0, 0};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& t : texts)
    pointers.push_back(t.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

pseudo_terminal::pseudo_terminal(const std::string& program, std::vector<std::string> arguments,
                                 const std::vector<std::string>& environment, size s) {
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> variables = environment; // the first of a name counts
  for (char** v = environ; *v != nullptr; ++v)
    variables.emplace_back(*v);
  const auto argv = pointers_to(arguments);
  const auto envp = pointers_to(variables);
  const auto window = window_of(s);
  child_ = forkpty(&terminal_, nullptr, nullptr, &window);
  if (child_ < 0)
    throw std::system_error{errno, std::generic_category(), "forkpty"};
  if (child_ == 0) {
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
}

pseudo_terminal::~pseudo_terminal() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close(terminal_);
}

void pseudo_terminal::type(const std::string& keys) {
  for (std::size_t done = 0; done < keys.size();) {
    const auto n = write(terminal_, keys.data() + done, keys.size() - done);
    if (n < 0)
      throw std::system_error{errno, std::generic_category(), "typing"};
    done += static_cast<std::size_t>(n);
  }
}

void pseudo_terminal::resize(size s) {
  const auto window = window_of(s);
  ioctl(terminal_, TIOCSWINSZ, &window);
}

bool pseudo_terminal::read_more(milliseconds limit) {
  pollfd p{terminal_, POLLIN, 0};
  if (poll(&p, 1, static_cast<int>(limit.count())) <= 0)
    return false;
  std::array<char, 4096> part{};
  const auto n = read(terminal_, part.data(), part.size());
  if (n <= 0)
    return false; // EIO: the program has ended
  screen_.append(part.data(), static_cast<std::size_t>(n));
  return true;
}

bool pseudo_terminal::shows(const std::string& text, milliseconds limit) {
  const auto until = clock::now() + limit;
  for (;;) {
    if (const auto at = screen_.find(text, read_); at != std::string::npos) {
      read_ = at + text.size();
      return true;
    }
    if (clock::now() >= until || (!read_more(left(until)) && child_ <= 0))
      return false;
  }
}

bool pseudo_terminal::reads_keys(std::chrono::milliseconds limit) const {
  for (const auto until = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < until;) {
    termios now{};
    if (tcgetattr(terminal_, &now) == 0 && (now.c_lflag & ICANON) == 0)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return false;
}

bool pseudo_terminal::is_as_shells_want() const {
  termios now{};
  return tcgetattr(terminal_, &now) == 0 && (now.c_lflag & ICANON) != 0 && (now.c_lflag & ECHO) != 0;
}

int pseudo_terminal::wait(milliseconds limit) {
  const auto until = clock::now() + limit;
  int status = 0;
  while (child_ > 0 && clock::now() < until) {
    read_more(look_every); // one that cannot write does not end
    if (waitpid(child_, &status, WNOHANG) != child_)
      continue;
    child_ = 0;
    while (read_more(milliseconds{0})) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return -1;
}

} // namespace steadfast::tests
