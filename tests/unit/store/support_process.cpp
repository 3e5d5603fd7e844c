#include "tests/unit/store/support_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace steadfast::store::test {

namespace {

struct running {
  pid_t pid = 0;
  int said = -1;
};

running start(const std::function<int(const say&)>& work, bool waits) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error{"cannot make a pipe"};
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error{"cannot fork"};
  if (child == 0) {
    if (waits)
      raise(SIGSTOP);
    const say speak = [&](const std::string& line) {
      const auto text = line + "\n";
      if (::write(ends[1], text.data(), text.size()) < 0)
        _exit(98);
    };
    int code = 99;
    try {
      code = work(speak);
    } catch (const std::exception& e) {
      speak(e.what());
    }
    _exit(code);
  }
  close(ends[1]);
  return {child, ends[0]};
}

std::vector<std::string> lines_of(int fd) {
  std::vector<std::string> lines(1);
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto size = ::read(fd, buffer.data(), buffer.size());
    if (size <= 0)
      break;
    for (ssize_t i = 0; i < size; ++i) {
      const char c = buffer.at(static_cast<std::size_t>(i));
      if (c == '\n')
        lines.emplace_back();
      else
        lines.back() += c;
    }
  }
  lines.pop_back(); // a line that was not finished was not said
  return lines;
}

ending end_of(const running& r) {
  ending e;
  e.lines = lines_of(r.said);
  close(r.said);
  int status = 0;
  waitpid(r.pid, &status, 0);
  if (WIFSIGNALED(status))
    e.signal = WTERMSIG(status);
  else
    e.code = WEXITSTATUS(status);
  return e;
}

bool is_traced(pid_t pid) {
  std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:"))
      return line.find_first_of("123456789") != std::string::npos;
  return false;
}

/// Attached, or given up after ten seconds.
bool wait_until_traced(pid_t pid) {
  for (int i = 0; i < 2000; ++i) {
    if (is_traced(pid))
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return false;
}

pid_t attach(pid_t to, const std::string& fault) {
  const pid_t tracer = fork();
  if (tracer == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    const auto pid = std::to_string(to);
    const auto inject = "inject=" + fault;
    execlp("strace", "strace", "-f", "-q", "-o", "/dev/null", "-e", inject.c_str(), "-p", pid.c_str(), nullptr);
    _exit(127);
  }
  return tracer;
}

} // namespace

ending in_child(const std::function<int(const say&)>& work) {
  return end_of(start(work, false));
}

ending in_child_with_fault(const std::string& fault, const std::function<int(const say&)>& work) {
  const auto child = start(work, true);
  int status = 0;
  waitpid(child.pid, &status, WUNTRACED); // it has stopped itself
  const pid_t tracer = attach(child.pid, fault);
  const bool traced = wait_until_traced(child.pid);
  kill(child.pid, traced ? SIGCONT : SIGKILL);
  const auto e = end_of(child);
  waitpid(tracer, nullptr, 0);
  if (!traced)
    throw std::runtime_error{"strace did not attach"};
  return e;
}

bool has_strace() {
  static const bool has = [] {
    try {
      const auto e = in_child_with_fault("getppid:error=EIO", [](const say&) { return getppid() < 0 ? 42 : 1; });
      return e.code == 42;
    } catch (const std::exception&) {
      return false;
    }
  }();
  return has;
}

} // namespace steadfast::store::test
