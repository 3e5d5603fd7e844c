#include "examples/demo/processes/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

namespace demo {

namespace {

constexpr std::chrono::milliseconds wait_step{5};

[[noreturn]] void become(char** arguments, int log, pid_t parent) {
  // Ctrl-C on the terminal is for the demo alone, which ends its children in order.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0)
    dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

} // namespace

process::process(const std::vector<std::string>& command, const std::filesystem::path& log) {
  if (access(command.at(0).c_str(), X_OK) != 0)
    throw std::system_error{errno, std::generic_category(), command.at(0)};
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0)
    throw std::system_error{errno, std::generic_category(), log.string()};
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const auto parent = getpid();
  pid_ = fork();
  if (pid_ == 0)
    become(arguments.data(), out, parent);
  const int error = errno;
  close(out);
  if (pid_ < 0) {
    pid_ = 0;
    throw std::system_error{error, std::generic_category(), "fork"};
  }
}

process::~process() {
  kill();
}

process::process(process&& other) noexcept
    : pid_{std::exchange(other.pid_, 0)},
      status_{std::exchange(other.status_, std::nullopt)} {}

process& process::operator=(process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  return *this;
}

void process::reap(int options) {
  int status = 0;
  if (pid_ != 0 && !status_ && waitpid(pid_, &status, options) == pid_)
    status_ = status;
}

bool process::is_running() {
  reap(WNOHANG);
  return pid_ != 0 && !status_;
}

std::string process::ending() {
  if (is_running() || !status_)
    return "not ended";
  if (WIFEXITED(*status_))
    return "ended with exit code " + std::to_string(WEXITSTATUS(*status_));
  return "been killed by signal " + std::to_string(WTERMSIG(*status_));
}

void process::signal(int number) {
  if (is_running())
    ::kill(pid_, number);
}

void process::kill() {
  if (!is_running())
    return;
  ::kill(pid_, SIGKILL);
  while (!status_)
    reap(0);
}

std::optional<int> process::stop(std::chrono::milliseconds limit) {
  signal(SIGTERM);
  const auto code = wait(limit);
  kill();
  return code;
}

std::optional<int> process::wait(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (is_running() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(wait_step);
  if (!status_ || !WIFEXITED(*status_))
    return std::nullopt;
  return WEXITSTATUS(*status_);
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace demo
