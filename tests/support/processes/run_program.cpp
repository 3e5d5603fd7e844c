#include "tests/support/processes/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace steadfast::tests {
namespace {

using clock = std::chrono::steady_clock;
constexpr auto run_limit = 2 * hang_limit;

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  return {ends[0], ends[1]};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> p;
  for (auto& t : texts)
    p.push_back(t.data());
  p.push_back(nullptr);
  return p;
}

/// With standard input from /dev/null unless one is given.
pid_t spawn(const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment, int in, int out, int err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (in >= 0)
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (out >= 0)
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  std::vector<std::string> args{program};
  args.insert(args.end(), arguments.begin(), arguments.end());
  std::vector<std::string> env;
  for (char** e = environ; *e != nullptr; ++e)
    env.emplace_back(*e);
  env.insert(env.begin(), environment.begin(), environment.end());
  auto argv = pointers(args);
  auto envp = pointers(env);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &files, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    throw std::system_error{error, std::generic_category(), program};
  return pid;
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Reads what is there; false at the end of the stream.
bool read_some(int fd, std::string& into) {
  std::array<char, 65536> buffer{};
  const auto n = read(fd, buffer.data(), buffer.size());
  if (n > 0)
    into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

void read_both(int out, int err, program_end& end, pid_t pid) {
  std::array<pollfd, 2> fds{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  const auto until = clock::now() + run_limit;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (clock::now() > until)
      kill(pid, SIGKILL);
    poll(fds.data(), fds.size(), 1000);
    for (std::size_t i = 0; i < 2; ++i)
      if (fds[i].fd >= 0 && fds[i].revents != 0 && !read_some(fds[i].fd, i == 0 ? end.out : end.err))
        fds[i].fd = -1;
  }
}

} // namespace

program_end run_program(const std::string& program, const std::vector<std::string>& arguments, const std::string& input,
                        const std::vector<std::string>& environment) {
  const auto in = make_pipe();
  const auto out = make_pipe();
  const auto err = make_pipe();
  const auto pid = spawn(program, arguments, environment, in.read, out.write, err.write);
  for (const int fd : {in.read, out.write, err.write})
    close(fd);
  std::thread writer{[&] {
    for (std::size_t done = 0; done < input.size();) {
      const auto n = write(in.write, input.data() + done, input.size() - done);
      if (n <= 0)
        break;
      done += static_cast<std::size_t>(n);
    }
    close(in.write);
  }};
  program_end end;
  read_both(out.read, err.read, end, pid);
  writer.join();
  int status = 0;
  waitpid(pid, &status, 0);
  end.code = code_of(status);
  close(out.read);
  close(err.read);
  return end;
}

running_program::running_program(const std::string& program, const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment) {
  const auto err = make_pipe();
  pid_ = spawn(program, arguments, environment, -1, -1, err.write);
  close(err.write);
  err_ = err.read;
  fcntl(err_, F_SETFL, O_NONBLOCK);
}

running_program::~running_program() {
  if (!code_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(err_);
}

void running_program::signal(int number) const {
  kill(pid_, number);
  siginfo_t end{};
  if (number == SIGSTOP)
    waitid(P_PID, static_cast<id_t>(pid_), &end, WSTOPPED | WEXITED | WNOWAIT); // its other threads run on for a while
}

std::optional<int> running_program::wait(std::chrono::milliseconds limit) {
  const auto until = clock::now() + limit;
  while (!code_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_)
      code_ = code_of(status);
    else if (clock::now() >= until)
      return std::nullopt;
    else
      read_err(5); // or it blocks on a full pipe
  }
  read_err(0);
  return code_;
}

bool running_program::says(const std::string& text, std::chrono::milliseconds limit) {
  const auto until = clock::now() + limit;
  for (;;) {
    read_err(20);
    if (text_.find(text) != std::string::npos)
      return true;
    if (clock::now() >= until || wait(std::chrono::milliseconds{0}))
      return text_.find(text) != std::string::npos;
  }
}

const std::string& running_program::err() {
  read_err(0);
  return text_;
}

void running_program::read_err(int timeout_ms) {
  pollfd fd{err_, POLLIN, 0};
  while (poll(&fd, 1, timeout_ms) > 0) {
    const auto before = text_.size();
    if (!read_some(err_, text_) || text_.size() == before) {
      if (timeout_ms > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds{timeout_ms}); // the stream has ended: no wait in poll
      return;
    }
    timeout_ms = 0;
  }
}

} // namespace steadfast::tests
